"""Prompts: what a model is asked, for each sample of a data set."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from valor_rgb.samples.sample import RGBSample

INSTRUCTION = (
    "Answer the question from the documents that come with it. Some documents may have nothing to "
    "do with the question, and some may state what is false.\n"
    "If no document has the answer, reply: I can not answer the question because of the "
    "insufficient information in documents.\n"
    "If documents state what is false, begin with: There are factual errors in the provided "
    "documents. Then give the right answer."
)
"""What the model is told beside the documents; it names the phrases that the rules look for."""


@frozen
class Prompt:
    """The messages that ask for one response.

    Parameters
    ----------
    sample : RGBSample
        What is asked.
    instruction : str
        The system message; a question without documents has none.

    Examples
    --------
    >>> sample = RGBSample("q1", "noise_robustness", query="Capital of Norway?", contexts="Oslo.")
    >>> print(Prompt(sample, "Be brief.").messages[1]["content"])
    Documents:
    Oslo.
    <BLANKLINE>
    Question: Capital of Norway?
    """

    sample: RGBSample
    instruction: str = INSTRUCTION

    @property
    def messages(self) -> list[dict[str, str]]:
        """Messages with role and content, as chat models take them."""
        query = self.sample.query or ""
        if not self.sample.contexts:
            return [{"role": "user", "content": query}]
        documents = "\n".join(self.sample.contexts)
        return [
            {"role": "system", "content": self.instruction},
            {"role": "user", "content": f"Documents:\n{documents}\n\nQuestion: {query}"},
        ]

    def to_dict(self) -> dict[str, Any]:
        """The prompt as a line of JSON has it; the answer is not told."""
        sample = self.sample
        return {
            "uid": sample.uid,
            "ability": sample.ability,
            "noise_ratio": sample.noise_ratio,
            "closed_book": sample.closed_book,
            **sample.metadata,
            "messages": self.messages,
        }
