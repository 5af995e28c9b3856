"""Fuzz configs: of a mutated one, `valor run` makes a report or says what is wrong with it.

The data stay as they are, and nothing is written outside of the folder of the case.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import yaml
from cases import fuzz
from commands import said_by
from example_files import example_of
from mutations import MARKS, NUMBERS, VALUES, mutated, mutated_tree
from readers import write

_REQUESTS: dict[str, dict[str, Any]] = {
    "classification.wide CSV": {
        "metrics": ["Accuracy", {"name": "Accuracy", "top_k": 2}, "classification.F1", "ROCAUC@1"],
        "slices": ["weather", ["weather"]],
        "filter": "weather == 'sun' or (weather is null and uid in ['i0', 'i3'])",
        "label_map": {"dog": "animal", "cat": ["class", "animal"]},
        "require": {"Accuracy/hardmax:true": ">= 0.0"},
        "output": "report.json",
    },
    "detection.table": {
        "metrics": [
            {"name": "AP", "iou_thresholds": [0.5, 0.75], "matching": "ranked"},
            {"name": "Counts", "area_ranges": {"small": [0, 100]}},
            "COCOSummary",
        ],
        "slices": ["weather"],
        "output": ["report.md", "report.csv"],
        "state": "state.npz",
    },
    "segmentation.npy": {
        "metrics": ["IOU", {"name": "mIOU"}, {"name": "BoundaryIOU", "dilation_ratio": 0.1}],
        "label_map": [{"from": "dog", "to": "cat"}],
        "engine": {"name": "local", "mode": "threads", "workers": 1},
        "output": "{how}/page-{model}.html",
        "flat": "numbers.json",
        "runs": {
            "matrix": {
                "model": ["a", {"name": "b", "metrics[2].dilation_ratio": 0.2}],
                "how": {"x": {"output": "x.html"}, "y": {"metrics": ["IOU"], "output": "{run}.md"}},
            }
        },
    },
}
_WORDS = (
    *(
        *NUMBERS,
        *MARKS,
        b"&a ",
        b"*a",
        b"&a [*a]",
        b"!!python/object:os.system",
        b"!!binary ",
        b"? ",
    ),
    *(
        b"<<: ",
        b"- - - ",
        b"{a: {b: ",
        b"${env:HOME}",
        b"${env:",
        b"|\n",
        b">-\n",
        b"---\n",
        b"...",
    ),
    *(
        b"'''",
        b'"""',
        b"[[a]]\n",
        b"a.b = 1\n",
        b"1979-05-27T07:32:00Z",
        b"0x_1",
        b"0o7",
        b"=",
        b"@",
    ),
    *(b"(" * 300, b"[" * 3000, b"not " * 300, b"a: " * 50, b"{a: " * 500, b"1" * 5000),
)
_VALUES = (
    *(*VALUES, "${env:HOME}", "${env:NO}", "Accuracy", "AP@9", "core.table", "..", "report.json"),
    *("(" * 300, "not " * 300, "uid ==", "weather < 3", ">= 1", "== nan", "local", "threads"),
)


def case(draw: Random, folder: Path) -> str:
    """What `valor run` says to a mutated config."""
    name = draw.choice(sorted(_REQUESTS))
    example = example_of(name)
    write(example.files, folder)
    data = {"reader": example.reader, **example.data, **draw.choice(example.variants)}
    config: Any = {"task": example.task, "data": data, **_REQUESTS[name]}
    ending = draw.choice(("yaml", "yaml", "json", "toml"))
    is_of_bytes = draw.random() < 0.4
    if not is_of_bytes:
        config = mutated_tree(draw, config, _VALUES)
    content = _written(config, ending)
    if is_of_bytes:
        content = mutated(draw, content, _WORDS).replace(b"/", b"|")  # no path leads elsewhere
    Path(folder, f"config.{ending}").write_bytes(content)
    return said_by(["run", f"config.{ending}"])


def _written(config: Any, ending: str) -> bytes:
    if ending == "toml" and isinstance(config, dict):
        lines = [f"{json.dumps(str(key))} = {_toml(value)}" for key, value in config.items()]
        return "\n".join(lines).encode(errors="surrogatepass")
    if ending == "yaml":
        return yaml.safe_dump(config, sort_keys=False).encode(errors="surrogatepass")
    return json.dumps(config, indent=1).encode()


def _toml(value: Any) -> str:
    """A value as TOML has it; what it has no word for, such as null, as JSON has it."""
    if isinstance(value, dict):
        pairs = [f"{json.dumps(str(key))} = {_toml(own)}" for key, own in value.items()]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value)


if __name__ == "__main__":
    sys.exit(fuzz(case, __doc__))
