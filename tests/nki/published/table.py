"""Runs public kernels, and tells what came of each: ``python -m tests.nki.published.table``."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

import nasm
import nasm.nki
from nasm.base.problems import Failure
from tests.nki.published import library, sdk
from tests.nki.published.cases import Case
from tests.nki.published.tested import Tested
from tests.sync.traced_oracle import judge

COLUMNS = (
    ("kernel", "kernel"),
    ("target", "target"),
    ("instructions", "instructions"),
    ("waits", "waits"),
    ("needless", "redundant"),
    ("unordered", "unordered"),
    ("microseconds", "µs"),
    ("device", "device"),
    ("published", "published"),
    ("host_seconds", "host s"),
    ("error", "error"),
    ("hazards", "hazards"),
    ("round_trip", "text"),
)


JUDGED = 20_000
"""The instructions of the largest program whose waits are judged one by one."""

PAGE = Path(__file__).parents[3] / "docs" / "nki-kernels.md"

CASES: tuple[Case | Tested, ...] = (*sdk.CASES, *library.CASES)
"""Every case there is."""


def measure(case: Case | Tested, roots: Mapping[str, Path], round_trip: bool) -> dict[str, Any]:
    """Trace and run one, and compare."""
    with nasm.nki.installed():
        asked = case.ask(roots)
        cores = f", {asked.lnc} cores" if asked.lnc > 1 else ""
        row: dict[str, Any] = {
            "stage": case.stage,
            "kernel": case.name,
            "target": asked.target + cores,
        }
        began = time.process_time()
        traced = nasm.nki.trace(
            asked.kernel, *asked.args, lnc=asked.lnc, target=asked.target, **asked.kwargs
        )
    program = traced.program
    row["trace_seconds"] = time.process_time() - began
    row["instructions"] = len(program)
    row["waits"] = sum(1 for queue in program.queues for wait in queue.waits if wait)
    verdict = judge(traced) if len(program) <= JUDGED else None
    if verdict is not None:
        row["pairs"] = verdict.pairs
        row["needless"], row["unordered"] = len(verdict.needless), len(verdict.unordered)
        row["between"] = len(verdict.between)
    began_again = time.process_time()
    result = nasm.nki.run(traced, values=case.values)
    row["host_seconds"] = row["trace_seconds"] + time.process_time() - began_again
    row["microseconds"] = result.report.microseconds
    if case.published is not None:
        row["device"] = result.report.microseconds + (program.generation.entry_and_exit or 0)
        row["published"] = case.published
    found = (*result.report.hazards, *result.report.problems)
    row["hazards"] = dict(Counter(problem.code for problem in found))
    row["ok"] = result.report.ok
    if asked.judge is not None and case.values:
        row["error"] = asked.judge(result.outputs)
    if round_trip:
        row["round_trip"] = same_from_text(traced, result)
    return row


def same_from_text(traced: Any, result: Any) -> bool:
    """Whether the program, printed and assembled again, runs the same: outputs, ticks, trace."""
    from nasm.language.printing import text

    again = nasm.run(nasm.assemble(text(traced.program)), dict(traced.inputs))
    first, second = result.result, again
    same = all(
        np.array_equal(first.outputs[name].view(np.uint8), second.outputs[name].view(np.uint8))
        for name in first.outputs
    )
    return bool(
        same
        and first.report.ticks == second.report.ticks
        and first.report.trace_hash == second.report.trace_hash
    )


def shown(row: Mapping[str, Any]) -> list[str]:
    """The cells of a row of the table."""

    def cell(key: str) -> str:
        value = row.get(key)
        if key in ("needless", "unordered") and value:
            return f"**{value:,} {'TOO MANY' if key == 'needless' else 'NOT IN ORDER'}**"
        if key == "hazards":
            return " ".join(f"{code}x{n}" for code, n in (value or {}).items()) or "none"
        if isinstance(value, bool):
            return "same" if value else "DIFFERS"
        if isinstance(value, float):
            return f"{value:,.2f}" if value < 1000 else f"{value:,.0f}"
        return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)

    if "refused" in row:
        return [
            row["kernel"],
            row["target"],
            f"refused: {row['refused']}",
            *[""] * (len(COLUMNS) - 3),
        ]
    return [cell(key) for key, _ in COLUMNS]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sdk", type=Path, help="a checkout of aws-neuron-sdk")
    parser.add_argument("--library", type=Path, help="a checkout of nki-library")
    parser.add_argument("--only", default="", help="kernels that have this in their name")
    parser.add_argument("--stage", type=int)
    parser.add_argument("--long", action="store_true", help="those that take long, too")
    parser.add_argument("--no-round-trip", action="store_true")
    parser.add_argument("--json", type=Path, help="write the rows to a file")
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/nki-kernels.md"
    )
    given = parser.parse_args(arguments)
    roots = {name: path for name in ("sdk", "library") if (path := getattr(given, name))}
    logging.disable(logging.WARNING)  # kernels log while they are traced
    rows = []
    _line([title for _, title in COLUMNS])
    _line(["---"] * len(COLUMNS))
    for case in CASES:
        if case.root not in roots or given.only not in case.name:
            continue
        if given.stage not in (None, case.stage) or (case.long and not given.long):
            continue
        try:
            with redirect_stdout(StringIO()):
                row = measure(case, roots, not given.no_round_trip)
        except Failure as failure:
            row = {"kernel": case.name, "target": case.target, "refused": _first(failure)}
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            row = {"kernel": case.name, "target": case.target, "refused": said}
        rows.append(row)
        _line(shown(row))
    if given.write:
        _write(rows)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1))
    wrong = [
        row
        for row in rows
        if "refused" in row
        or row.get("error", 0) > 1
        or row.get("needless")
        or row.get("unordered")
    ]
    return 1 if wrong else 0


def _write(rows: Sequence[Mapping[str, Any]]) -> None:
    """Put the table between its marks in the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition("<!-- kernels -->\n")
    lines = [[title for _, title in COLUMNS], ["---"] * len(COLUMNS), *map(shown, rows)]
    table = "".join("| " + " | ".join(cells) + " |\n" for cells in lines)
    after = rest.partition("<!-- end -->")[2]
    text = f"{before}<!-- kernels -->\n{table}<!-- end -->{after}"
    PAGE.write_text(text, encoding="utf-8")


def _line(cells: Sequence[str]) -> None:
    sys.stdout.write("| " + " | ".join(cells) + " |\n")
    sys.stdout.flush()


def _first(failure: Failure) -> str:
    return failure.problems[0].message if failure.problems else str(failure)


if __name__ == "__main__":
    sys.exit(main())
