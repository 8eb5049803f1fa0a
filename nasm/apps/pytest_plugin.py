"""Programs as tests of pytest: one for each program, and for each target.

It does nothing unless ``--nasm`` is given, ``nasm_files`` is set, or a program is named. pytest
imports this whenever it starts, so nothing of nasm is imported before a program is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_EXPECTS = re.compile(r"^[ \t]*\.expect\b", re.MULTILINE)
ENDING = ".nasm"
USUAL = f"*{ENDING}"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--nasm``, and what the configuration may say."""
    group = parser.getgroup("neuron-nasm")
    group.addoption("--nasm", action="store_true", help=f"collect programs ({USUAL}) as tests")
    parser.addini("nasm_files", "programs to collect, as patterns of paths", type="args")
    parser.addini("nasm_targets", "targets to run each on, besides its own text's", type="args")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Programs | None:
    """A file of a program, if programs are collected or it is named on the command line."""
    patterns = parent.config.getini("nasm_files")
    if not patterns and parent.config.getoption("--nasm"):
        patterns = [USUAL]
    named = file_path.suffix == ENDING and parent.session.isinitpath(file_path)
    if named or any(map(file_path.match, patterns)):
        return Programs.from_parent(parent, path=file_path)
    return None


class Programs(pytest.File):
    """A file with a program."""

    def collect(self) -> Iterator[Item]:
        """Its run, on each target that is asked for; or its check, if it expects nothing."""
        from nasm.base import host_files

        text = host_files.read_text(self.path, errors="replace")
        kind = RunItem if _EXPECTS.search(text) else CheckItem
        targets = self.config.getini("nasm_targets") or [None]
        for target in targets:
            name = f"{self.path.stem}[{target}]" if target else self.path.stem
            yield kind.from_parent(self, name=name, target=target)


class Broken(Exception):
    """A program that does not do what it promises; its text is what the command shows."""


class Item(pytest.Item):
    """A program on a target."""

    def __init__(self, *, target: str | None = None, **more: Any) -> None:
        super().__init__(**more)
        self.target = target

    def runtest(self) -> None:
        """Try it, and fail with what the command shows."""
        from nasm.base.problems import Failure
        from nasm.show import diagnostics
        from nasm.show.console import plain

        try:
            wrong = self.wrong()
        except Failure as failure:
            wrong = [diagnostics.diagnostic(p) for p in failure.problems]
        if wrong:
            raise Broken(plain(wrong))

    def wrong(self) -> list[Any]:
        """The errors of the program, to be shown; raises Failure if it does not assemble."""
        raise NotImplementedError

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What the command shows; a defect of nasm has its traceback."""
        if isinstance(excinfo.value, Broken):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it is and what it is called."""
        return self.path, None, self.name


class RunItem(Item):
    """A run of a program: all that it expects has to hold."""

    def wrong(self) -> list[Any]:
        """What fails."""
        from nasm.api import run
        from nasm.show import tables

        report = run(self.path, target=self.target).report
        return [] if report.ok else tables.failures(report)


class CheckItem(Item):
    """A check of a program that expects nothing: it has to assemble, without errors."""

    def wrong(self) -> list[Any]:
        """The errors that can be found without a run."""
        from nasm.api import check
        from nasm.apps.lsp.analysis import target_of_macros
        from nasm.base.source_files import program_of, source_of
        from nasm.show import diagnostics

        target = self.target or target_of_macros(source_of(program_of(self.path)).text)
        return [diagnostics.diagnostic(p) for p in check(self.path, target=target).errors]
