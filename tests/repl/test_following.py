"""Breakpoints on lines of a file that is edited and loaded again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repl.conftest import Tried

HEAD = [".target trn2", ".sbuf t f32[1, 2]", ".sbuf u f32[1, 2]"]
ONE, TWO, COPY = "@vector Memset t, 1.0", "@vector Memset t, 2.0", "@vector TensorCopy u, t"


def edited(tried: Tried, folder: Path, before: list[str], after: list[str], *stops: str) -> str:
    """What ``load`` says of breakpoints that were set before a file was edited."""
    path = folder / "a.nasm"
    path.write_text("\n".join([*HEAD, *before]) + "\n")
    tried.does(f"load {path}", *stops)
    path.write_text("\n".join([*HEAD, *after]) + "\n")
    return tried.does("load").partition("\n")[2]


@pytest.mark.parametrize(
    ("after", "line"),
    [
        (["; a comment", ONE, TWO, COPY], 7),
        (["", "", ONE, "@vector   TensorCopy  u,  t", TWO], None),
        ([COPY], 4),
        ([ONE, TWO, "", COPY, "@vector Memset u, 3.0"], 7),
        ([ONE, TWO, "@vector TensorCopy u, t[:, :]"], 6),
    ],
)
def test_a_breakpoint_follows_the_text_of_its_line(
    bare: Tried, tmp_path: Path, after: list[str], line: int | None
) -> None:
    said = edited(bare, tmp_path, [ONE, TWO, COPY], after, "break 6")
    line = line or 7
    moved = f"breakpoint 1: before line {line}: it was before line 6; its text is there now\n"
    assert said == ("" if line == 6 else moved)
    assert f"breakpoint 1: before @vector pc {after_pc(after, line)} (TensorCopy" in bare.does(
        "run"
    )


def after_pc(lines: list[str], line: int) -> int:
    """How many instructions stand before a line."""
    return sum(one.startswith("@") for one in [*HEAD, *lines][: line - 1])


def test_a_line_that_was_changed_or_has_doubles_is_gone_and_that_is_said(
    bare: Tried, tmp_path: Path
) -> None:
    after = [TWO, TWO, "@vector TensorCopy t, u", ONE, ONE]
    said = edited(bare, tmp_path, [COPY, ONE, TWO], after, "break 4", "break 5 after", "b transfer")
    assert said == (
        "breakpoint 1: before line 4 is gone: line 4 was changed or deleted: "
        "@vector TensorCopy u, t\n"
        "breakpoint 2: after line 5 is gone: which line it is now is not known, "
        f"there are others like it: {ONE}\n"
    )
    assert "a transfer starts or has landed" in bare.does("info breakpoints")


def test_what_is_no_line_stays_what_it_is(bare: Tried, tmp_path: Path) -> None:
    stops = ("break cycle 5", "break vector pc 0", "break @vector", "watch t", "break held 6")
    assert edited(bare, tmp_path, [ONE, TWO, COPY], ["", ONE, TWO, COPY], *stops) == ""
    assert len(bare.shell.session.breakpoints) == 5
