"""Public files of NKI 0.1, and what becomes of each: ``python -m tests.nki.published.dialect``.

A file with tests is tested, a script run as it is, a kernel of an operator of NKIBench compared
with its reference, and any other file imported, each in a process of its own with NKI to be
imported. None of them is in this repository.
"""

from __future__ import annotations

import argparse
import ast
import json
import logging
import re
import resource
import runpy
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import nasm.nki
from nasm.base.problems import Failure
from nasm.nki.errors import NOT_NKI
from tests.nki.published import benchmarked
from tests.nki.published.uses import Uses, uses

PAGE = Path(__file__).parents[3] / "docs" / "nki-kernels.md"
MARKS = "<!-- dialect -->\n", "<!-- end -->"
USES = re.compile(r"^\s*(import neuronxcc\.nki|from neuronxcc(\.nki\S*)? import)", re.MULTILINE)
COLUMNS = ("repository", "files", "right", "imported", "refused", "needs", "other", "over time")
CHIP = re.compile(r"torch_xla|torch_neuronx|neuronx|libneuron|neuronpy|nki_samples|attention_nki")
"""Modules that drive a chip, or that AWS's compiler brought along."""

SAYS_WRONG = re.compile(r".*(\bFalse\b|\bNot close\b|[Mm]ismatch|do not match|\b[Ff]ailed\b).*")
"""What scripts print that check themselves, and do not raise."""

SECONDS = 120

REASONS = {
    "test_nki_isa_activation.py": "it compares with 1e-5 what its kernel has rounded to bfloat16",
    "test_nki_isa_dropout.py": "it draws probabilities from 0 to 100, and wants elements left",
    "test_nki_isa_dma_copy.py": "2 cases of 11 want NumPy's IndexError of an index outside: E0508",
    "test_nki_isa_dma_transpose.py": "it has no test",
    "layout-violation.py": "it is meant to be refused: E0304, 256 partitions",
    "part1/kernels.py": "an exercise, of which the transpose is left",
    "part1/run_benchmark.py": "it wants arguments: with them see the courses below",
    "part2/conv2d.py": "an exercise",
    "part2/test_harness.py": "of an exercise without a solution: see the courses below",
    "nki_conv2d/conv2d.py": "an exercise",
    "nki_conv2d/tester.py": "of an exercise without a solution: see the courses below",
    "nki_ffnn/ffnn.py": "of an exercise without a solution: see the courses below",
    "nki_ffnn/kernels.py": "an exercise, no Python before it is solved",
    "nki_ffnn/tester.py": "of an exercise without a solution: see the courses below",
    "contributed/pipelined_attention.py": "it calls a kernel on a grid of 0, which has no instance",
}
"""Why files are not right, where what they end with does not say it."""


def files(root: Path) -> Iterator[Path]:
    """The files of a checkout that import NKI 0.1, and have kernels, tests or a script."""
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if USES.search(text) and _of_kernels(text):
            yield path


def _of_kernels(text: str) -> bool:
    try:
        found = uses(text)
    except SyntaxError:
        return True  # an exercise
    return found is not None and bool(found.kernels or _checks_itself(text, found))


def judged(path: Path, root: Path, seconds: int, references: Path | None) -> dict[str, Any]:
    """What became of a file, in a process of its own."""
    words = [sys.executable, "-m", "tests.nki.published.dialect", "--one", str(path), str(root)]
    if references is not None:
        words += ["--references", str(references)]
    done = subprocess.run(
        [*words, "--seconds", str(seconds)], capture_output=True, text=True, check=False
    )
    row: dict[str, Any] = {"file": str(path.relative_to(root))}
    try:
        return row | json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        over = done.returncode < 0
        return row | {"outcome": "over time" if over else "other", "why": done.stderr[-300:]}


# ---------------------------------------------------------------- one file


class _Collected:
    """What pytest says of tests."""

    def __init__(self) -> None:
        self.passed, self.failed = 0, dict[str, str]()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test."""
        if report.failed:
            self.failed[report.nodeid.rpartition("::")[2]] = _last(str(report.longrepr))
        elif report.when == "call" and report.passed:
            self.passed += 1

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave functions that are in no class: they are called by the file itself."""
        items[:] = [item for item in items if getattr(item, "cls", None) is not None]

    def pytest_collectreport(self, report: Any) -> None:
        """Keep why a file could not be imported."""
        if report.failed:
            self.failed[""] = _last(str(report.longrepr))


def _last(text: str) -> str:
    """The line of a traceback that says what is wrong."""
    lines = [line.removeprefix("E").strip() for line in text.splitlines() if line.startswith("E ")]
    found = [line for line in lines if re.match(r"[\w.]*(Error|Failure|Exception|NotHere)", line)]
    return (found or lines or text.splitlines() or [""])[0]


def one(path: Path, root: Path, references: Path | None) -> dict[str, Any]:
    """A file in this process."""
    logging.disable(logging.CRITICAL)
    text = path.read_text(encoding="utf-8")
    sys.path[:0] = [str(path.parent), str(root), str(root / "src")]
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(StringIO()), nasm.nki.installed():
        reference = references and benchmarked.reference_of(path.relative_to(root), references)
        if _has_tests(text):
            return _tested(path, text)
        sys.argv = [str(path)]
        try:
            checks = _checks_itself(text, uses(text))
            if reference and not checks:
                return benchmarked.judged(path, reference)
            runpy.run_path(str(path), run_name="__main__" if checks else "published")
        except SystemExit as leaving:
            if leaving.code not in (None, 0):
                return {"outcome": "other", "why": f"exit code {leaving.code}"}
        except BaseException as error:
            return _why(f"{type(error).__name__}: {_message(error)}")
    wrong = SAYS_WRONG.search(said.getvalue())
    if checks and wrong:
        return {"outcome": "other", "why": f"prints: {wrong[0].strip()}"}
    return {"outcome": "right" if checks else "imported"}


def _checks_itself(text: str, found: Uses | None) -> bool:
    """Whether a file is a script, has tests, or calls a test of its own when it is imported."""
    if found is not None and found.checks_itself:
        return True
    calls = (node.value for node in ast.parse(text).body if isinstance(node, ast.Expr))
    names = (ast.unparse(one.func) for one in calls if isinstance(one, ast.Call))
    return _has_tests(text) or any(name.startswith("test") for name in names)


def _message(error: BaseException) -> str:
    if isinstance(error, Failure) and error.problems:
        return f"{error.problems[0].code}: {error.problems[0].message}"
    return str(error)


def _has_tests(text: str) -> bool:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return any("Test" in node.name for node in classes)


SIMULATED = "pytest.mark.simulation"
"""What nki-samples marks cases with that compare values; the others only take the time."""


def _tested(path: Path, text: str) -> dict[str, Any]:
    seen = _Collected()
    chosen = ["-m", "simulation"] if SIMULATED in text else []
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(path.parent)]
    pytest.main([*options, "-W", "ignore", *chosen, str(path)], plugins=[seen])
    row = {"passed": seen.passed, "failed": seen.failed}
    if seen.failed:
        return row | _why(next(iter(seen.failed.values())))
    return row | {"outcome": "right" if seen.passed else "imported"}


def _why(message: str) -> dict[str, Any]:
    missing = re.search(r"No module named '([\w.]+)'", message)
    if CHIP.search(missing[1] if missing else "") or NOT_NKI in message:
        return {"outcome": "needs", "why": missing[1] if missing else message[:200]}
    if missing:
        return {"outcome": "other", "why": f"needs {missing[1]}"}
    refused = re.search(r"E0\d{3}", message)
    return {"outcome": "refused" if refused else "other", "why": message[:200]}


# ---------------------------------------------------------------- all of them


def table(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """A row for each repository, and below a line for each file that is not right."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
    for name, rows in found.items():
        counts = Counter(row["outcome"] for row in rows)
        cells = [name, str(len(rows)), *(str(counts[one] or "") for one in COLUMNS[2:])]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| file | | why |", "| --- | --- | --- |"]
    for name, rows in found.items():
        for row in rows:
            known = REASONS.get(row["file"])
            if known or row["outcome"] in ("refused", "other", "over time", "needs"):
                why = known or str(row.get("why", "")).replace("|", "\\|").replace("\n", " ")
                lines.append(f"| {name}: {row['file']} | {row['outcome']} | {why[:160]} |")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the files of some checkouts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "roots", metavar="NAME=FOLDER", nargs="*", help="checkouts, each with a name"
    )
    parser.add_argument("--one", type=Path, nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--references", type=Path, help="the folder reference of NKIBench")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="processor time for a file")
    parser.add_argument("--json", type=Path, help="write the rows to a file")
    parser.add_argument("--rows", type=Path, nargs="*", default=[], help="rows of earlier runs")
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    given = parser.parse_args(arguments)
    if given.one is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (given.seconds, given.seconds + 5))
        sys.stdout.write(json.dumps(one(*given.one, given.references)) + "\n")
        return 0
    found: dict[str, list[dict[str, Any]]] = {}
    for rows in given.rows:
        found |= json.loads(rows.read_text())
    for word in given.roots:
        name, _, folder = word.partition("=")
        found[name] = []
        for path in files(Path(folder)):
            row = judged(path, Path(folder), given.seconds, given.references)
            found[name].append(row)
            sys.stdout.write(f"{name} {row['file']}: {row['outcome']} {row.get('why', '')}\n")
            sys.stdout.flush()
            if given.json:
                given.json.write_text(json.dumps(found, indent=1))
    lines = table(found)
    sys.stdout.write("\n".join(lines) + "\n")
    if given.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        made = before + MARKS[0] + "\n".join(lines) + "\n" + MARKS[1] + after
        PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
