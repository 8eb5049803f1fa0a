"""Compares the model with what is published: `make published`.

    ledger.py                  run every row, write the table of docs/timing/published.md
    ledger.py --check          run every row; exit 1 if that table is not current
    ledger.py --only '#1' '#8' show these rows, write nothing
    ledger.py --full           at the published sizes, which takes much longer; write nothing
    ledger.py --json           the rows as JSON, write nothing

Each row says what is compared with what. The programs, and the choices that their sources leave
open, are in the modules beside this file. The exit code is 1 if a row misses its goal without a
reason, or a family's order is wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from programs.published.rows import Bound, Kernel, Row, Use  # noqa: E402  (of the repository's root)
from programs.published.runs import Run, run  # noqa: E402

MODULES = (
    "matmul", "dma", "dma_chart", "mamba", "layernorm", "vector_add", "depthwise",
    "nkibench",
    "micro_documented", "micro_trn2", "micro_profiles", "micro_control",
)  # fmt: skip
"""The families of rows, each a module of this folder with its ROWS."""

PAGE = ROOT / "docs" / "timing" / "published.md"
SECTION = re.compile(r"(<!-- published -->\n).*?(<!-- end -->)", re.DOTALL)

SAME = 0.005
"""Two steps of a reduced size are the same if they differ by no more than this part of one."""

APART = 0.02
"""Published figures that differ by more have an order."""


def rows() -> tuple[Row, ...]:
    """Every row, in the order of the table: kernels by number, then single instructions."""
    modules = [import_module(f"programs.published.{name}") for name in MODULES]
    return tuple(sorted((row for module in modules for row in module.ROWS), key=place))


def place(row: Row) -> tuple[bool, float]:
    """Where a row stands, by the number its name begins with: #4 before #12, both before 2.1."""
    found = re.match(r"#?([\d.]+)", row.name)
    assert found is not None
    return not row.name.startswith("#"), float(found[1])


# ---------------------------------------------------------------- running


class Runs:
    """The kernels that have run so far, at the sizes they have run at."""

    def __init__(self, full: bool = False, quiet: bool = False) -> None:
        self.full, self.quiet = full, quiet
        self._found: dict[tuple[str, tuple[tuple[str, int], ...]], dict[Row, float]] = {}
        self._rows: dict[str, list[Row]] = {}

    def expect(self, wanted: Sequence[Row]) -> None:
        """Rows that will be asked for: what is measured of a run, which is not kept."""
        for row in wanted:
            self._rows.setdefault(row.kernel.name, []).append(row)

    def model(self, row: Row) -> Model:
        """What the model says of a row."""
        kernel = row.kernel
        if self.full or not kernel.along:
            return Model(self._measured(row, kernel.full[kernel.along] if kernel.along else 0))
        values = [self._measured(row, size) for size in kernel.reduced]
        return extrapolated(kernel, values)

    def _measured(self, row: Row, size: int) -> float:
        kernel = row.kernel
        sizes = {**kernel.full, **({kernel.along: size} if kernel.along else {})}
        key = kernel.name, tuple(sizes.items())
        if key not in self._found:
            started = time.monotonic()
            result = run(kernel.program(sizes, kernel.target), kernel.values, kernel.allow)
            self._found[key] = {
                other: measured(other, result) for other in self._rows.get(kernel.name, [row])
            }
            self._say(kernel, size, time.monotonic() - started)
        return self._found[key][row]

    def _say(self, kernel: Kernel, size: int, seconds: float) -> None:
        if not self.quiet:
            at = f" {kernel.along}={size}" if kernel.along else ""
            print(f"{kernel.name}{at}: {seconds:.1f} s", file=sys.stderr)


def measured(row: Row, result: Run) -> float:
    """A row's figure of one run."""
    return row.measure(result) + (result.entry_and_exit if row.whole else 0)


@dataclass(frozen=True, slots=True)
class Model:
    """What the model says, at the full size; ``unsteady`` by how much two steps differ, if so."""

    value: float
    unsteady: float = 0.0


def extrapolated(kernel: Kernel, values: Sequence[float]) -> Model:
    """The figure at the full size, from three that lie equally far apart."""
    low, middle, high = kernel.reduced
    if not low < middle < high or middle - low != high - middle:
        raise SystemExit(f"{kernel.name}: sizes {kernel.reduced} do not lie equally far apart")
    first, second = values[1] - values[0], values[2] - values[1]
    steps = (kernel.full[kernel.along] - high) / (high - middle)
    apart = abs(second - first) / max(abs(second), abs(first), 1e-12)
    return Model(values[2] + steps * second, apart if apart > SAME else 0.0)


# ---------------------------------------------------------------- the table


@dataclass(frozen=True, slots=True)
class Line:
    """A row with what the model says of it."""

    row: Row
    model: Model

    @property
    def error(self) -> float:
        """How far the model is off, of what is published."""
        return self.row.error(self.model.value)

    @property
    def met(self) -> bool:
        """Whether it comes as near as it should."""
        return abs(self.error) <= self.row.goal and not self.model.unsteady

    @property
    def remark(self) -> str:
        """Why it misses its goal, or what else a reader should know."""
        told = not self.met or self.row.use is Use.NEITHER
        parts = [self.row.remark] if self.row.remark and told else []
        if self.model.unsteady:
            parts.append(
                f"the steps of three sizes differ by {self.model.unsteady:.1%}: see --full"
            )
        return "; ".join(parts)


def disorder(lines: Sequence[Line]) -> Iterator[str]:
    """Pairs of a family that the model has in another order than the published figures."""
    for a, b in combinations(lines, 2):
        if not a.row.family or (a.row.family, a.row.figure) != (b.row.family, b.row.figure):
            continue
        low, high = sorted((a, b), key=lambda line: line.row.middle)
        if high.row.middle > low.row.middle * (1 + APART) and high.model.value <= low.model.value:
            yield f"{high.row.name} should be above {low.row.name} ({low.row.figure})"


def number(value: float) -> str:
    """Four digits that count, or all there are of a large number."""
    digits = max(0, 3 - len(f"{abs(value):.0f}")) + 1 if abs(value) < 1000 else 0
    return f"{value:,.{digits}f}"


def published(row: Row) -> str:
    """What was published, with its unit."""
    if isinstance(row.published, tuple):
        return f"{number(row.published[0])} to {number(row.published[1])} {row.unit}"
    return f"{number(row.published)} {row.unit}"


def percentage(error: float) -> str:
    """A relative error in tenths of a percent; one that rounds to zero has no sign."""
    said = f"{error:+.1%}"
    return said[1:] if float(said[:-1]) == 0 else said.replace("-", "−")


HEAD = ("row", "figure", "published", "model", "error", "goal met", "use", "remark")


def cells(line: Line) -> tuple[str, ...]:
    """A line of the table."""
    row = line.row
    goal = f"{'yes' if line.met else '**no**'}, {row.goal:.0%}"
    if row.use is Use.NEITHER:
        goal = "no goal"
    return (
        row.name, row.figure, published(row), number(line.model.value),
        percentage(line.error), goal, row.use.value, line.remark,
    )  # fmt: skip


def table(lines: Sequence[Line]) -> str:
    """All lines as Markdown."""
    parts = [HEAD, ("---",) * len(HEAD), *map(cells, lines)]
    return "\n".join("| " + " | ".join(part) + " |" for part in parts)


def section(lines: Sequence[Line]) -> str:
    """The section of the page: the table, and how many rows meet their goals."""
    wrong = list(disorder(lines))
    order = "Of no family is the order wrong." if not wrong else "Wrong order: " + ", ".join(wrong)
    return f"{table(lines)}\n\n{tally(lines)} {order}\n"


BOUNDS = {
    Bound.ENGINE: "that an engine bounds",
    Bound.DMA: "that DMA bounds",
    Bound.LATENCY: "that latency bounds",
    Bound.PROGRAM: "that follow from the program alone",
    Bound.MICRO: "of single instructions and transfers",
}


def tally(lines: Sequence[Line]) -> str:
    """How many figures meet their goals: of those that judge by what bounds them, and the rest."""
    parts = []
    for use in (Use.JUDGES, Use.SETS):
        of_use = [line for line in lines if line.row.use is use]
        if not of_use:
            continue
        met = f"{sum(line.met for line in of_use)} of {len(of_use)} figures that"
        parts.append(f"{met} {'judge' if use is Use.JUDGES else 'set'} meet their goals")
        if use is Use.JUDGES:
            kinds = {bound: [x for x in of_use if x.row.bound is bound] for bound in BOUNDS}
            parts[-1] += ": " + ", ".join(
                f"{sum(line.met for line in found)} of {len(found)} {BOUNDS[bound]}"
                for bound, found in kinds.items()
                if found
            )
    return " ".join(f"{part}." for part in parts)


def as_json(lines: Sequence[Line]) -> str:
    """All lines as JSON."""
    return json.dumps(
        [
            {
                "row": line.row.name,
                "figure": line.row.figure,
                "use": line.row.use.value,
                "bound": line.row.bound.value,
                "kernel": line.row.kernel.name,
                "source": line.row.kernel.source,
                "choices": line.row.kernel.choices,
                "published": line.row.published,
                "unit": line.row.unit,
                "model": line.model.value,
                "error": line.error,
                "goal": line.row.goal,
                "met": line.met,
                "remark": line.remark,
            }
            for line in lines
        ],
        indent=1,
        ensure_ascii=False,
    )


# ---------------------------------------------------------------- the command


def main(argv: Sequence[str] | None = None) -> int:
    """Run, and show or write; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--full", action="store_true", help="at the published sizes")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these rows, or kernels")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    parser.add_argument("--check", action="store_true", help="whether the page is current")
    args = parser.parse_args(argv)
    every = rows()
    wanted = [r for r in every if not args.only or {r.name, r.kernel.name} & {*args.only}]
    if not wanted:
        names = ", ".join(dict.fromkeys(row.name for row in every))
        parser.error(f"no row is called {' or '.join(args.only)}; there are {names}")
    runs = Runs(args.full)
    runs.expect(wanted)
    lines = [Line(row, runs.model(row)) for row in wanted]
    if args.json:
        print(as_json(lines))
    elif args.only or args.full:
        print(section(lines), end="")
    elif not settle(section(lines), args.check):
        return 1
    bad = [line for line in lines if not line.met and not line.row.remark]
    for line in bad if not args.json else ():
        print(f"{line.row.name} {line.row.figure} is off by {line.error:+.1%}", file=sys.stderr)
    return 1 if any(line.row.use is not Use.NEITHER for line in bad) or any(disorder(lines)) else 0


def settle(made: str, check: bool) -> bool:
    """Write the table, or say whether it is current."""
    old = PAGE.read_text(encoding="utf-8")
    new, count = SECTION.subn(lambda m: m[1] + made + m[2], old)
    if count != 1:
        raise SystemExit(f"{PAGE.name} has {count} sections 'published', wanted one")
    name = PAGE.relative_to(ROOT)
    if new == old:
        print(f"{name} is current")
    elif check:
        print(f"{name} is stale: run 'make published'")
        return False
    else:
        PAGE.write_text(new, encoding="utf-8")
        print(f"wrote {name}")
    return True


if __name__ == "__main__":
    sys.exit(main())
