"""Commands: ``valor rgb``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from attrs import frozen
from valor_cli.config.config_file import Request
from valor_cli.program import streams
from valor_cli.program.command import set_option

from valor_core import Registry
from valor_core.errors import ConfigError, ReadError, ReportError
from valor_core.readers import reader_of
from valor_rgb.samples.sample import RGBSample

INSTRUCTION = (
    "Answer the question from the documents that come with it. Some documents may have nothing to "
    "do with the question, and some may state what is false.\n"
    "If no document has the answer, reply: I can not answer the question because of the "
    "insufficient information in documents.\n"
    "If documents state what is false, begin with: There are factual errors in the provided "
    "documents. Then give the right answer."
)
"""System message of a prompt; it contains the phrases that the rules search."""


@frozen
class Prompt:
    """Messages that request one response.

    Parameters
    ----------
    sample : RGBSample
        Sample with the question and the documents.
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
        """Messages with role and content, for chat models."""
        query = self.sample.query or ""
        if not self.sample.contexts:
            return [{"role": "user", "content": query}]
        documents = "\n".join(self.sample.contexts)
        return [
            {"role": "system", "content": self.instruction},
            {"role": "user", "content": f"Documents:\n{documents}\n\nQuestion: {query}"},
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the prompt as a JSON object, without the answer."""
        sample = self.sample
        return {
            "uid": sample.uid,
            "ability": sample.ability,
            "noise_ratio": sample.noise_ratio,
            "closed_book": sample.closed_book,
            **sample.metadata,
            "messages": self.messages,
        }


TASK = "rgb"


@click.group("rgb")
def rgb() -> None:
    """Prompts of the Retrieval-Augmented Generation Benchmark."""


@rgb.command("prompts")
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the prompts, in place of standard output.",
)
@click.option(
    "--instruction",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File with the system message, in place of the English one.",
)
@set_option("data.passages=10")
def prompts(
    config: Path, output: Path | None, instruction: Path | None, settings: tuple[str, ...]
) -> int:
    """Write the prompts of a config's data as JSON Lines, for any model to answer.

    Each line has a uid and messages. Record the responses in a table with the columns uid and
    response, name it under data.responses, and evaluate with: valor run CONFIG
    """
    message = INSTRUCTION if instruction is None else _text(instruction)
    samples = list(_samples(config, settings))
    lines = [json.dumps(Prompt(one, message).to_dict(), ensure_ascii=False) for one in samples]
    _write(output, "".join(f"{line}\n" for line in lines))
    streams.talk(_summary(samples, output))
    return 0


def _samples(config: Path, settings: tuple[str, ...]) -> Iterator[RGBSample]:
    request = Request.from_file(config, settings)
    chosen = request.checked.run
    if chosen.task not in (None, TASK):
        raise ConfigError(
            f"{request.place}task: expected {TASK}, got {chosen.task!r}",
            "Prompts are made of: task: rgb",
        )
    data = {key: value for key, value in chosen.data.items() if key != "responses"}
    reader = reader_of(data, TASK, Registry(), request.folder, request.place)
    for partition in reader.partitions():
        for batch in reader.read(partition):
            for sample in batch.items():
                if not (sample.query or "").strip():
                    raise ReadError(
                        f"{partition.name}: item {sample.uid!r}: expected a question, found none",
                        "Prompts are made of files of questions: data: {reader: dataset, …}",
                    )
                yield sample


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: expected text in UTF-8", "Save the file in UTF-8.") from error
    except OSError as error:
        raise ReadError(f"{path}: expected a readable file, found: {error.strerror}") from error


def _write(path: Path | None, text: str) -> None:
    if path is None:
        streams.say(text.removesuffix("\n"))
        return
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ReportError(f"{path}: cannot be written, {error.strerror}") from error


def _summary(samples: list[RGBSample], output: Path | None) -> str:
    """Describe the number of prompts, and of those with less noise than requested."""
    less = sum(_is_short(sample.metadata, sample.noise_ratio) for sample in samples)
    written = "" if output is None else f", written to {output}"
    few = f"; {less:,} of them have less noise than asked for" if less else ""
    return f"{len(samples):,} prompts{written}{few}"


def _is_short(facts: Any, asked: float | None) -> bool:
    found = facts.get("realized_noise_ratio")
    return asked is not None and (0.0 if found is None else found) < asked
