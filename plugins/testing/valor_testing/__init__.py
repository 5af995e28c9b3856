"""Conformance tests for plugins: results for any split, order and worker, saved states, ranges.

One test checks a plugin::

    def test_conformance():
        check_plugin("mylab")

One test per metric or component::

    @pytest.mark.parametrize("check", [pytest.param(c, id=name) for name, c in cases("mylab")])
    def test_conformance(check):
        check()

`check_metric`, `check_reader`, `check_resource` and `check_engine` check one component.

Examples
--------
>>> check_plugin("core")
"""

from valor_testing.conformance import cases, check_metric, check_plugin
from valor_testing.engine_laws import check_engine
from valor_testing.law import ConformanceError
from valor_testing.reader_laws import check_reader
from valor_testing.resource_laws import check_resource

__all__ = [
    "ConformanceError",
    "cases",
    "check_engine",
    "check_metric",
    "check_plugin",
    "check_reader",
    "check_resource",
]
