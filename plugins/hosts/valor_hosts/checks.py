"""Checks of reports in tests, and properties of tests in JUnit files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from attrs import frozen
from valor_report import interval_settings, parse_requirements

from valor_core import Report, evaluate
from valor_core.errors import ConfigError
from valor_hosts.reports import failures


@frozen
class Checks:
    """Object of the fixture `valor`.

    Parameters
    ----------
    record_property : callable
        Function that receives name and value of each number, such as pytest's fixture.
    """

    record_property: Callable[[str, object], None]

    def check(self, data: Any, *arguments: Any, **options: Any) -> Report:
        """Fail the test unless a report is ok: complete, and with all requirements met.

        The numbers of the report become properties of the test in ``pytest --junit-xml=FILE``.

        Parameters
        ----------
        data : Report, path of a report in JSON, or data
            Report to check, or the first argument of `valor_core.evaluate`.
        *arguments, **options
            Further arguments of `valor_core.evaluate`, such as ``require={"F1/macro": ">= 0.9"}``,
            which is required for data. For a report, `require` replaces its requirements.

        Returns
        -------
        Report
            The report, for further assertions.

        Raises
        ------
        AssertionError
            If the report is not ok. The message is a table of the unmet requirements.
        ConfigError
            If data is evaluated without requirements.

        Examples
        --------
        >>> numbers = {}
        >>> checks = Checks(numbers.__setitem__)
        >>> report = checks.check([1, 0], [1, 1], ["Accuracy"], require={"Accuracy": ">= 0.5"})
        >>> numbers
        {'Accuracy': 0.5}
        """
        __tracebackhide__ = True  # pytest then shows the line of the test
        is_report = isinstance(data, (str, os.PathLike, Report)) and not arguments
        if is_report and options.keys() <= {"require"}:
            report = data if isinstance(data, Report) else Report.load(data)
            confidence = interval_settings(report)
            required = parse_requirements(options.get("require") or {}, confidence=confidence)
            report = report.judged(required)
        else:
            report = evaluate(data, *arguments, **options)
            if not report.requirements:
                raise ConfigError(
                    "valor.check: expected requirements, got none",
                    "Write them as: require={'F1/macro': '>= 0.9'}",
                )
        for name, number in report.flat(short=True).items():
            self.record_property(name, number)
        if not report.ok:
            raise AssertionError(failures(report))
        return report
