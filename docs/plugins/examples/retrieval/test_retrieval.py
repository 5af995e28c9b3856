from math import log2

import pytest
import retrieval
from valor_testing import check_plugin

from valor_core import Registry, evaluate


@pytest.fixture
def registry():
    registry = Registry()
    registry.register("retrieval", retrieval)
    return registry


@pytest.fixture
def files(request):
    folder = request.path.parent
    return {"qrels": folder / "qrels.txt", "run": folder / "run.txt"}


def test_plugin_keeps_the_laws(files):
    check_plugin(retrieval, readers={"retrieval.trec": files})


def test_numbers_by_hand(registry, files):
    # q1: a (grade 2), b (0), c (1) found of a, c, d. q2: a (0), b (1) found of b. q3: none of e.
    report = evaluate(
        {"reader": "trec", **files}, ["Recall", "MRR", "MAP", "nDCG"], registry=registry
    )
    assert report["Recall"].value == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert report["MRR"].value == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert report["MAP"].value == pytest.approx(((1 / 1 + 2 / 3) / 3 + 1 / 2 + 0) / 3)
    best = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)
    first, second = (2 / log2(2) + 1 / log2(4)) / best, (1 / log2(3)) / (1 / log2(2))
    assert report["nDCG"].value == pytest.approx((first + second + 0) / 3)


def test_equal_scores_are_ordered_as_in_trec_eval(registry, files, tmp_path):
    run = tmp_path / "run.txt"
    run.write_text("q2 Q0 a 1 5.0 mine\nq2 Q0 b 2 5.0 mine\n")
    data = {"reader": "trec", "qrels": files["qrels"], "run": run}
    # b is before a, the only query with a document has rank 1: (0 + 1 + 0) / 3
    assert evaluate(data, ["MRR"], registry=registry)["MRR"].value == pytest.approx(1 / 3)
