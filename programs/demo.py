"""Reads 896 handwritten digits on a simulated core and shows how that went; `make demo` runs it.

It runs digits.nasm, which lies beside it. The exit code is 0 if at least 95 in 100 digits are read
rightly, and, within half a point, as many as by the network in float32 before it was rounded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from nasm.apps.cli import streams
from nasm.apps.cli.screen import Screen
from nasm.base.problems import Failure
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.machine.records import RunReport
from nasm.show import tables

FOLDER = Path(__file__).parent
WANTED = 0.95
HALF_A_POINT = 0.005
ACROSS = 8
"""Images in a row: with their margin they fill 80 columns."""

MARGIN = 8
BLOCKS = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}
ASCII_BLOCKS = {(0, 0): " ", (1, 0): "'", (0, 1): ".", (1, 1): ":"}

Array = NDArray[Any]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and tell about it."""
    parser = argparse.ArgumentParser(description="Read 896 handwritten digits on a simulated core.")
    parser.add_argument("--target", help="the core: trn1 (the program's own), trn2, trn3")
    args = parser.parse_args(argv)
    streams.prepare()
    screen = Screen()
    try:
        session = Session.load(source_of(FOLDER / "digits.nasm"), target=args.target)
    except Failure as failure:
        screen.problems(failure.problems)
        return 2
    generation = session.program.generation
    screen.show(Text(f"Reading handwritten digits on {generation.summary}: digits.nasm", "bold"))
    report = session.run(progress=screen.progress, hashes=False)
    screen.clear()
    if not report.ok:
        screen.show(*tables.failures(report, width=screen.width, ascii_only=screen.ascii_only))
        return 1
    labels, predicted = (session.read(name)[:, 0] for name in ("labels", "predicted"))
    show_digits(screen, session.read("images"), labels, predicted)
    screen.show(Text())
    well = show_accuracy(screen, labels, predicted)
    show_time(screen, session, report, len(labels))
    return 0 if well else 1


# ---------------------------------------------------------------- the images


def show_digits(screen: Screen, images: Array, labels: Array, predicted: Array) -> None:
    """Draw images from all over the file, and the first that were read wrongly."""
    step = len(labels) // ACROSS
    rows = [(f"Every {step}th of {len(labels)} images:", np.arange(ACROSS) * step)]
    wrong = np.flatnonzero(predicted != labels)
    if len(wrong):
        shown = wrong[:ACROSS]
        rows.append((f"{len(shown)} of the {len(wrong)} it got wrong:", shown))
    for title, chosen in rows:
        screen.show(Text(), Text(title), *drawn(screen, images[:, chosen]))
        right = labels[chosen] == predicted[chosen]
        said = [
            (str(p), "green" if ok else "bold red")
            for p, ok in zip(predicted[chosen], right, strict=True)
        ]
        screen.show(caption("core", said), caption("label", [(str(n), "") for n in labels[chosen]]))


def drawn(screen: Screen, images: Array) -> Iterator[Text]:
    """Images of 8x8 pixels side by side, one per column: two pixels to a character."""
    ink = images.astype(np.float32).T.reshape(-1, 4, 2, 8)
    for line in range(4):
        text = Text(" " * MARGIN)
        for image in ink:
            for upper, lower in image[line].T:
                text.append(*pixels(screen, upper, lower))
            text.append(" ")
        yield text


def pixels(screen: Screen, upper: float, lower: float) -> tuple[str, str]:
    """Two pixels above each other: in shades of grey, or, without colours, as ink or none."""
    if screen.out.color_system is not None and not screen.ascii_only:
        return "▀", f"{grey(upper)} on {grey(lower)}"
    blocks = ASCII_BLOCKS if screen.ascii_only else BLOCKS
    return blocks[int(upper >= 0.5), int(lower >= 0.5)], ""


def grey(ink: float) -> str:
    """White ink on a black ground."""
    return "rgb({0},{0},{0})".format(round(255 * ink))


def caption(name: str, values: Sequence[tuple[str, str]]) -> Text:
    """A line below images: a value under the middle of each."""
    text = Text(name.ljust(MARGIN))
    for value, style in values:
        text.append("   ").append(value.ljust(6), style)
    return text


# ---------------------------------------------------------------- the numbers


def show_accuracy(screen: Screen, labels: Array, predicted: Array) -> bool:
    """Compare with the labels and with the float network; returns whether it read well enough."""
    with np.load(FOLDER / "data" / "digits.npz") as data:
        reference = data["predicted_float"][:, 0]
    right, floats = (float(np.mean(p == labels)) for p in (predicted, reference))
    same = int(np.sum(predicted == reference))
    good, close = right >= WANTED, abs(right - floats) <= HALF_A_POINT
    count = int(np.sum(predicted == labels))
    screen.show(
        line("accuracy", f"{right:.2%}: {count} of {len(labels)} right", good, "at least 95%"),
        line(
            "in float32",
            f"{floats:.2%}; same answer for {same} of {len(labels)}",
            close,
            "within half a point",
        ),
    )
    return good and close


def line(name: str, said: str, well: bool, wanted: str) -> Text:
    """What was measured, and whether it is as wanted."""
    style, verdict = ("green", "as wanted") if well else ("bold red", "NOT as wanted")
    return Text.assemble((f"{name:12}", "bold"), said, "  ", (f"({verdict}: {wanted})", style))


def show_time(screen: Screen, session: Session, report: RunReport, images: int) -> None:
    """How long an image takes, and what each engine did."""
    generation = session.program.generation
    cycles = report.ticks / generation.base.cycle / images
    clock = generation.ticks / 1000 / generation.base.cycle
    each = ", ".join(f"{e.engine} {e.busy / images:.2f}" for e in report.engines if e.busy)
    screen.show(
        Text.assemble(
            ("per image   ", "bold"),
            f"{report.microseconds / images:.4f} µs, {cycles:.1f} cycles at {clock:g} GHz",
        ),
        Text.assemble(("busy cycles ", "bold"), f"{each} per image"),
        Text(),
        tables.engine_table(report.engines),
        Text(tables.table_notes(report.engines), "dim"),
        Text(),
        *(Text(said) for said in tables.time_lines(report)),
    )


if __name__ == "__main__":
    sys.exit(main())
