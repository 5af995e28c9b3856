"""Conformance kit: holds any metric, ours or a stranger's, to the laws that Valor relies on.

The whole test of a plugin is two lines::

    def test_conformance():
        check_plugin("mylab")

and with a test for every metric::

    @pytest.mark.parametrize("check", [pytest.param(c, id=name) for name, c in cases("mylab")])
    def test_conformance(check):
        check()

Readers, resources and engines are run by `check_reader`, `check_resource` and `check_engine`.

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
