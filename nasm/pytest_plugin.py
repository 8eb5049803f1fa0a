"""Programs with expectations as tests of pytest: one for each program, and for each target.

It does nothing unless ``--nasm`` is given or ``nasm_files`` is set. pytest imports this whenever it
starts, so nothing of nasm is imported before a program is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_EXPECTS = re.compile(r"^[ \t]*\.expect\b", re.MULTILINE)
USUAL = "*.nasm"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--nasm``, and what the configuration may say."""
    group = parser.getgroup("neuron-nasm")
    group.addoption("--nasm", action="store_true", help=f"collect programs ({USUAL}) as tests")
    parser.addini("nasm_files", "programs to collect, as patterns of paths", type="args")
    parser.addini("nasm_targets", "targets to run each on, besides its own text's", type="args")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Programs | None:
    """A file of a program, if it is to be collected and expects something."""
    patterns = parent.config.getini("nasm_files")
    if not patterns and parent.config.getoption("--nasm"):
        patterns = [USUAL]
    if any(map(file_path.match, patterns)):
        return Programs.from_parent(parent, path=file_path)
    return None


class Programs(pytest.File):
    """A file with a program."""

    def collect(self) -> Iterator[Run]:
        """Its run, on each target that is asked for."""
        if not _EXPECTS.search(self.path.read_text(encoding="utf-8", errors="replace")):
            return
        targets = self.config.getini("nasm_targets") or [None]
        for target in targets:
            name = f"{self.path.stem}[{target}]" if target else self.path.stem
            yield Run.from_parent(self, name=name, target=target)


class Broken(Exception):
    """A program that does not do what it promises; its text is what the command shows."""


class Run(pytest.Item):
    """A run of a program: all that it expects has to hold."""

    def __init__(self, *, target: str | None = None, **more: Any) -> None:
        super().__init__(**more)
        self.target = target

    def runtest(self) -> None:
        """Run it."""
        from nasm.api import run
        from nasm.problems import Failure
        from nasm.report import diagnostics, tables
        from nasm.report.console import plain

        try:
            report = run(self.path, target=self.target).report
        except Failure as failure:
            said = plain([diagnostics.diagnostic(p) for p in failure.problems])
            raise Broken(said) from None
        if not report.ok:
            raise Broken(plain(tables.failures(report)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What the command shows; a defect of nasm has its traceback."""
        if isinstance(excinfo.value, Broken):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it is and what it is called."""
        return self.path, None, self.name
