"""A plugin of pytest: the fixtures of the library's tests, on the simulated machine."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import nasm.nki
from nasm.base import host_files
from nasm.base.problems import Failure
from nasm.base.records import dataclass, field, replace
from nasm.nki.jit import simulate
from nasm.nki.kernel import Traced
from nasm.nki.library_tests import judging
from nasm.nki.library_tests.by_rank import apart, inputs_of

MEANINGS = {
    "right": "right",
    "right, reported": "right, and something was reported",
    "raises": "must fail, and does",
    "wrong": "a wrong value",
    "refused": "refused",
    "raised": "the kernel raised",
    "slow": "over the time limit",
    "gap": "nothing was run: these modules lack something, or the test does",
    "no kernel": "right, and no kernel was run",
    "skipped": "skipped",
}
"""What can become of a case."""


DRAWING = (
    "coverage",
    "filter",
    "enable_automatic_boundary_tests",
    "enable_invalid_combination_tests",
    "n_tests_per_boundary_value",
    "max_invalid_tests",
)
"""What a test says of how its cases are drawn; all else are their parameters."""

FAST = "fast"
"""The mark of the cases that are run where nothing else is asked for."""

PLATFORMS = ("trn2", "trn3", "trn1")
"""What tests run on that leave it open, the first choice first."""

PACKAGES = {"attr": "attrs", "attrs": "attrs", "torch": "torch"}
"""What has to be installed for a module that the library's tests import."""

RANGED = "range_test_options"
"""What a test asks for whose cases come from ranges of sizes."""


class TooSlow(BaseException):
    """That a case has had its time: nothing that it runs may take it for an error of its own."""


@dataclass
class Case:
    """A case, and what became of it."""

    name: str
    outcome: str = "gap"
    why: str = ""
    seconds: float = 0.0
    stage: str = "making inputs"
    kernels: int = 0
    finished: int = 0
    instructions: int = 0
    microseconds: float = 0.0
    reports: list[str] = field(default_factory=list)
    xfail: str = ""


class Manager:
    """Replaces the library's orchestrator: runs a kernel, and compares.

    ``trace_mode`` is what tests ask for, and may set; kernels are run in any of its modes.
    """

    def __init__(self, case: Case, target: str | None, trace_mode: Any) -> None:
        self.case, self.target, self.trace_mode = case, target, trace_mode

    def execute(self, kernel_args: Any, *args: Any, **kwargs: Any) -> None:
        """Run the kernel of a test, and compare what it returns."""
        asked = kernel_args.compiler_input
        count = getattr(kernel_args.inference_args, "collective_ranks", 1)
        given, ranks = inputs_of(kernel_args.kernel_input, count), count if count > 1 else None
        target = self.target or asked.platform_target.get_compile_target()
        lnc = asked.logical_nc_config
        kernel = simulate(kernel_args.kernel_func)
        self.case.kernels += 1
        handed = judging.arguments(kernel, given)
        self.case.stage = "tracing"
        traced = nasm.nki.trace(kernel, *handed, lnc=lnc, target=target, ranks=ranks)
        self.case.instructions += len(traced.program)
        self.case.stage = "running"
        made = nasm.nki.run(_apart(traced), hashes=False)
        report = made.report
        self.case.finished += 1
        self.case.microseconds += report.microseconds
        problems = (*report.hazards, *report.problems)
        self.case.reports += [f"{problem.code} {problem.message}" for problem in problems]
        self.case.stage = "comparing"
        for rank, outputs in enumerate(made.outputs if ranks else [made.outputs]):
            judging.judge(judging.outputs(outputs), kernel_args.validation_args, rank)


class Plugin:
    """The pytest plug-in: fixtures, a time limit, and a table at the end."""

    def __init__(self, limit: float, target: str | None, path: str | None) -> None:
        self.limit, self.target, self.path = limit, target, path
        self.cases: dict[str, Case] = {}

    def case(self, node: Any) -> Case:
        """What is known of a case."""
        return self.cases.setdefault(node.nodeid, Case(node.nodeid))

    @pytest.fixture
    def trace_mode(self) -> Any:
        """How kernels are run: by a simulator, in the library's words."""
        modes = getattr(_of_library("common_dataclasses"), "TraceMode", None)
        return modes and modes.Simulator

    @pytest.fixture
    def test_manager(self, request: Any, trace_mode: Any) -> Manager:
        """Runs kernels."""
        return Manager(self.case(request.node), self.target, trace_mode)

    @pytest.fixture
    def collector(self) -> Any:
        """The library's own collector of nothing."""
        return _of_library("metrics_collector").NoopMetricsCollector()

    @pytest.fixture
    def platform_target(self, request: Any) -> Any:
        """The platform of tests that ask: the first that the test does not exclude."""
        platforms = _of_library("common_dataclasses").Platforms
        if self.target:
            return platforms(self.target)
        marker = request.node.get_closest_marker("platforms")
        excluded = () if marker is None else marker.kwargs.get("exclude", ())
        return next(p for p in map(platforms, PLATFORMS) if p not in excluded)

    def pytest_sessionstart(self) -> None:
        """Draw the same cases each time: modules draw too, while they are imported."""
        _seed()

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Draw the cases of a test that asks for some of many, as the library does."""
        marker = metafunc.definition.get_closest_marker("coverage_parametrize")
        ranged = RANGED in metafunc.fixturenames
        if marker is None and not ranged:
            return
        if _left_out(metafunc):
            drawn = [RANGED] if ranged else [n for n in marker.kwargs if n not in DRAWING]
            metafunc.parametrize(drawn, [])
            return
        if ranged:
            _range(metafunc)
            return
        drawing = _of_library("coverage_parametrized_tests")
        params = dict(marker.kwargs)
        asked = {name: params.pop(name) for name in DRAWING if name in params}
        asked["filter_func"] = asked.pop("filter", None)
        cases = drawing.generate_parametrized_test_case(
            params=params, **{"coverage": "singles", **asked}
        )
        names, values, ids = drawing.extract_parametrize_args(params, cases)
        metafunc.parametrize(names, values, ids=ids)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        """Give each case its time, and the same numbers whatever ran before."""
        _seed()
        case, began = self.case(item), time.process_time()
        marker = item.get_closest_marker("xfail")
        case.xfail = _reason(**marker.kwargs) if marker is not None else ""
        with _limited(self.limit), _noted_xfail(case):
            yield
        case.seconds = time.process_time() - began

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        """Note what became of a case."""
        outcome = yield
        report = outcome.get_result()  # type: ignore[attr-defined]
        case = self.case(item)
        if report.failed and case.xfail:  # it called pytest.xfail, and was run to its end
            report.outcome, report.wasxfail = "skipped", f"reason: {case.xfail}"
        if report.skipped and not case.xfail:
            case.outcome, case.why = "skipped", str(call.excinfo and call.excinfo.value)
        elif report.when == "call" or call.excinfo is not None:
            error = call.excinfo.value if call.excinfo is not None else None
            case.outcome, case.why = judged(case, error)
        self._write()

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file that cannot be imported."""
        if report.failed:
            lines = [line for line in str(report.longrepr).splitlines() if line.strip()]
            self.cases[report.nodeid] = Case(report.nodeid, "gap", import_error(lines))
            self._write()

    def _write(self) -> None:
        """What became of the cases so far."""
        if self.path is not None:
            rows = [asdict(case) for case in self.cases.values()]
            with host_files.text(self.path, "w") as out:
                json.dump(rows, out, indent=1)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The table."""
        write = terminalreporter.write_line
        terminalreporter.section("the library's tests on nasm")
        counts = Counter(case.outcome for case in self.cases.values())
        for outcome, meaning in MEANINGS.items():
            if counts[outcome]:
                write(f"{counts[outcome]:6,}  {meaning}")
        marked = Counter(case.outcome for case in self.cases.values() if case.xfail)
        for outcome, count in marked.items():
            write(f"{count:6,}  of them marked xfail: {MEANINGS[outcome]}")
        why = Counter((c.outcome, c.why) for c in self.cases.values() if c.why)
        for (outcome, reason), count in why.most_common():
            write(f"{count:6,}  {outcome}: {reason}")


def import_error(lines: Sequence[str]) -> str:
    """Why a file cannot be imported, of what pytest prints: with the line that is no Python."""
    errors = [line.removeprefix("E").strip() for line in lines if line.startswith("E ")]
    text = errors[-1] if errors else lines[-1].strip()
    places = [found for line in errors if (found := _PLACE.search(line))]
    if places and re.match(r"(Syntax|Indentation|Tab)Error\b", text):
        return f"{os.path.basename(places[-1][1])}:{places[-1][2]}: {text[:200]}"
    return _with_package(text)


_PLACE = re.compile(r'File "([^"]+)", line (\d+)')


def _with_package(text: str) -> str:
    """What Python says of an import, with what to install if a package is missing."""
    missing = re.search(r"No module named '(\w+)", text)
    package = PACKAGES.get(missing[1]) if missing else None
    return f"{text[:200]} (pip install {package})" if package else text[:200]


def _of_library(name: str) -> Any:
    """A module of the library's tests, which are on the path when pytest runs."""
    return import_module(f"test.utils.{name}")


def _apart(traced: Traced) -> Traced:
    """The same with copies to write: a test's reference is computed of the inputs afterwards."""
    copies = {name: apart(traced.given[name], traced.ranks) for name in traced.changed}
    return replace(traced, given={**traced.given, **copies})


def _left_out(metafunc: Any) -> bool:
    """Whether no case of a test would be run: to draw them may take longer than all others."""
    unmarked = metafunc.definition.get_closest_marker(FAST) is None
    return bool(unmarked and metafunc.config.option.markexpr == FAST)


def _range(metafunc: Any) -> None:
    """A case for each of the sizes that a test of ranges lists."""
    ranges = _of_library("ranged_test_harness")
    config = getattr(metafunc.function, ranges.RANGE_TEST_CONFIG_ATTR_KEY)
    ids, cases = ranges.RangeTestHarness(config).get_unique_test_cases()
    metafunc.parametrize(RANGED, cases, ids=ids)


def _seed() -> None:
    random.seed(0)
    np.random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


def judged(case: Case, error: BaseException | None) -> tuple[str, str]:
    """What became of a case, and why, of what its test raised."""
    if error is None:
        if not case.kernels:
            return "no kernel", ""
        if not case.finished:
            return "raises", ""
        return ("right, reported", "") if case.reports else ("right", "")
    text = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    if isinstance(error, TooSlow):
        return "slow", f"while {case.stage}"
    if isinstance(error, judging.ValueMismatch):
        return "wrong", str(error)
    if isinstance(error, Failure):
        first = error.problems[0]
        return "refused", f"{first.code} {first.message}"
    if not case.kernels or isinstance(error, judging.Gap):
        return "gap", text
    return "raised", text


def _reason(reason: str = "", **_: Any) -> str:
    return reason or "no reason given"


@contextmanager
def _noted_xfail(case: Case) -> Iterator[None]:
    """Within it a test that calls pytest.xfail is noted, and runs on, for its outcome."""

    def noted(reason: str = "") -> None:
        case.xfail = _reason(reason)

    before, pytest.xfail = pytest.xfail, noted  # type: ignore[assignment]
    try:
        yield
    finally:
        pytest.xfail = before


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Limit something to so much processor time: other work of the host is not included."""

    def over(*_: Any) -> None:
        raise TooSlow(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
