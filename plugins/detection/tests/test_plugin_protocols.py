"""Protocols that plugins declare in the hook `valor_protocols`."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from attrs import evolve
from valor_detection.matching.protocols import COCO, PROTOCOLS, exceeded, protocol_named
from valor_detection.parameters.averages import APParameters
from valor_detection.parameters.fields import PROTOCOL_NAMES

from valor_core.errors import BrokenPluginError, ParameterError
from valor_core.schemas.detection import Detection
from valor_core.specs import ProtocolSpec, Registry, hookimpl

from .support import predicted, true

STRICT = evolve(COCO, name="strictlab.Strict", limits=exceeded)
WRONG = "no protocol"


class StrictLab:
    """Manifest with a protocol, and one whose implementation is a string."""

    @hookimpl
    def valor_protocols(self) -> list[ProtocolSpec]:
        return [
            ProtocolSpec(
                name=f"strictlab.{name}",
                summary="IoU above the threshold",
                implementation=f"strictlab:{name.upper()}",
            )
            for name in ("Strict", "Wrong")
        ]


@pytest.fixture(scope="module", autouse=True)
def strict_lab() -> None:
    module = ModuleType("strictlab")
    vars(module).update(STRICT=STRICT, WRONG=WRONG)
    sys.modules["strictlab"] = module
    Registry().register("strictlab", StrictLab())


def test_metrics_use_protocol_of_plugin() -> None:
    from valor_core import evaluate

    item = Detection("a", [true("x", 0, 0, 10, 10)], [predicted({"x": 0.9}, 0, 0, 5, 10)])
    for name, count in (("coco", 1), ("strictlab.Strict", 0)):
        report = evaluate([item], [{"name": "Counts", "matching": name}])
        assert report["Counts"].value["tp"] == count


def test_unknown_protocol_suggests_closest_name() -> None:
    with pytest.raises(ParameterError, match="matching must be one of 'coco'") as raised:
        APParameters(matching="strictlab.Stric")

    assert raised.value.remedy == "Did you mean 'strictlab.Strict'?"


def test_misspelt_protocol_of_this_plugin_suggests_it() -> None:
    with pytest.raises(ParameterError) as raised:
        APParameters(matching="voc2021")

    assert raised.value.remedy == "Did you mean 'voc2012'?"


def test_implementation_that_is_no_protocol_raises_error() -> None:
    with pytest.raises(BrokenPluginError, match=r"expected a Protocol of valor_detection\.states"):
        protocol_named("strictlab.Wrong")


def test_names_of_parameters_are_those_of_protocols() -> None:
    assert set(PROTOCOL_NAMES) == set(PROTOCOLS)
