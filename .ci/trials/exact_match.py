"""A metric of one function, with core alone."""

from valor_core import Text, evaluate, metric


@metric("mylab.ExactMatch", task="text", requires=("response", "references"))
def exact_match(item) -> float:
    """Return 1 if the response is one of the references."""
    return float(item.response in item.references)


ITEMS = [
    Text("q1", response="7", references=["7", "seven"]),
    Text("q2", response="8", references="9"),
]

if __name__ == "__main__":
    print(evaluate(ITEMS, [exact_match])["ExactMatch"].value)
