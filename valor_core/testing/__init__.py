"""Conformance kit: holds any metric, ours or a stranger's, to the laws that Valor relies on.

The whole test of a plugin is two lines::

    def test_conformance():
        check_plugin("mylab")

and with a test for every metric and law::

    @pytest.mark.parametrize("check", [pytest.param(c, id=name) for name, c in cases("mylab")])
    def test_conformance(check):
        check()

Examples
--------
>>> check_plugin("core")
"""

from valor_core.testing.conformance import cases, check_metric, check_plugin
from valor_core.testing.law import ConformanceError

__all__ = ["ConformanceError", "cases", "check_metric", "check_plugin"]
