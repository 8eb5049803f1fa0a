"""``sync`` of texts with loops at run time: what it writes keeps the order of the lines."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.assemble import Rewrite, assemble
from nasm.language.editing.synchronised import Synchronised, autosynchronised
from nasm.program.program import Program
from nasm.targets import TARGETS
from tests.parts import part
from tests.tables import each

HEAD = """.target trn2
.const N = 8
.hbm   X  f32[1024, 16]  input = iota
.hbm   Y  f32[1024, 16]  inout = zeros
.sbuf  x[2]  f32[128, 16]
.sbuf  y[2]  f32[128, 16]
.sbuf  total  f32[128, 16]
"""


def assembled(source: Source, rewrite: Rewrite | None, own: bool) -> Program:
    return assemble(source, TARGETS, rewrite=rewrite)


def synchronised(text: str, strip: bool = False) -> str:
    return Synchronised(Source("made.nasm", text), assembled, ".", strip=strip).text


def lines(text: str) -> list[str]:
    """The lines of loops, without blanks that align them."""
    made = synchronised(HEAD + text).removeprefix(HEAD).splitlines()
    return [" ".join(line.split()) for line in made if line.strip()]


def problems_of(text: str) -> list[tuple[str, str]]:
    with pytest.raises(Failure) as failure:
        synchronised(HEAD + text)
    found = failure.value.problems
    return [(p.code, "" if p.span is None else p.span.text) for p in found]


def test_two_tiles_are_waited_for_two_rounds_back() -> None:
    text = """
.loop k in 0..N buffers=2
@sync    DmaCopy       x[k % 2], X[k*128 : +128, :]
@vector  TensorScalar  y[k % 2], x[k % 2], op=add, operand=1
@scalar  DmaCopy       Y[k*128 : +128, :], y[k % 2]
.end
"""
    assert lines(text) == [
        ".loop k in 0..N buffers=2",
        "@sync DmaCopy x[k % 2], X[k*128 : +128, :] after x_free[k - 2] post x_loaded[k]",
        "@vector TensorScalar y[k % 2], x[k % 2], op=add, operand=1 "
        "after x_loaded[k], y_free[k - 2] post y_ready[k] post x_free[k]",
        "@scalar DmaCopy Y[k*128 : +128, :], y[k % 2] after y_ready[k] post y_free[k]",
        ".end",
        "@scalar .drain",
    ]
    made = synchronised(f"{HEAD}{text}.expect Y == X + 1\n")
    assert nasm.run(made).ok


def test_one_tile_is_waited_for_in_the_round_before_and_a_step_counts() -> None:
    text = """
.loop k in 0..N step 2
@sync    DmaCopy       x[0], X[k*128 : +128, :]
@vector  TensorScalar  y[0], x[0], op=add, operand=1
@sync    DmaCopy       Y[k*128 : +128, :], y[0]
.end
"""
    assert "after x_loaded[k], y_free[k - 2]" in " ".join(lines(text))
    assert nasm.run(synchronised(f"{HEAD}{text}.expect Y[0:128] == X[0:128] + 1\n")).ok


def test_what_comes_after_a_loop_waits_for_all_of_it() -> None:
    text = """
@vector  Memset        total, 0
.loop k in 0..N buffers=2
@sync    DmaCopy       x[k % 2], X[k*128 : +128, :]
@vector  TensorTensor  total, total, x[k % 2], op=add
.end
@scalar  Activation    y[0], total, op=copy, scale=2.0
@scalar  DmaCopy       Y[0:128], y[0]
"""
    assert "after total_ready post y_ready" in lines(text)[5]
    wanted = ".expect Y[0, 0] == 2 * sum(X[0:1024:128, 0])\n"
    assert nasm.run(synchronised(HEAD + text + wanted)).ok


def test_a_nest_counts_its_rounds_on_from_entry_to_entry() -> None:
    text = """
.loop m in 0..2 buffers=2
.loop k in 0..4 buffers=2
@sync    DmaCopy       x[k % 2], X[m*512 + k*128 : +128, :]
@vector  TensorScalar  y[k % 2], x[k % 2], op=add, operand=1
@scalar  DmaCopy       Y[m*512 + k*128 : +128, :], y[k % 2]
.end
.end
"""
    assert "after x_free[m, k - 2]" in " ".join(lines(text))
    assert nasm.run(synchronised(f"{HEAD}{text}.expect Y == X + 1\n")).ok


def test_programs_that_were_written_by_hand_run_as_fast_or_faster() -> None:
    path = Path(__file__).parents[2] / "programs" / "matmul_loops.nasm"
    made = synchronised(path.read_text(encoding="utf-8"), strip=True)
    report = nasm.run(made, values=False).report
    assert not report.problems
    assert report.microseconds <= nasm.run(path, values=False).report.microseconds


HAS_WAITS = (
    "@vector Memset total, 1 post a[k]\n@scalar Activation y[0], total, op=copy after a[k]\n"
)
LEAVES = "@vector Memset total, 1\n@vector .break k >= 2\n"


@each(
    ("text", "where"),
    [
        (".loop %r2 in 0..4\n@vector Memset total, 1\n.end\n", ".loop %r2 in 0..4"),
        ("@vector .loop k in 0..4\nMemset total, 1\n.end\n", "@vector .loop k in 0..4"),
        (f".loop k in 0..4\n{LEAVES}.end\n", "@vector .break k >= 2"),
        (f".loop k in 0..4\n{HAS_WAITS}.end\n", None),
    ],
)  # fmt: skip
def test_what_has_no_order_of_rounds_is_refused(text: str, where: str | None) -> None:
    found = problems_of(text)
    assert found[0][0] == "E0841"
    assert where is None or found[0][1] == where


# ------------------------------------------------------------------ random texts


class Made:
    """A random text in sequential order, with loops within each other."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tiles = {"x": self.random.randint(1, 3), "y": self.random.randint(1, 3), "z": 1}
        declared = "".join(f".sbuf {n}[{c}] f32[128, 16]\n" for n, c in self.tiles.items())
        filled = "".join(
            f"@gpsimd Memset {n}[{i}], {i}\n" for n, c in self.tiles.items() for i in range(c)
        )
        self.stores = 0
        body = self.block([], 3) + self.block([], 2)
        rows = max(1, self.stores) * 16
        self.text = (
            ".target trn2\n.hbm X f32[16, 128, 16] input = iota\n"
            f".hbm Y f32[{rows}, 128, 16] inout = zeros\n{declared}{filled}{body}"
        )

    def block(self, around: list[tuple[str, int]], depth: int) -> str:
        made = ""
        for _ in range(self.random.randint(1, 3)):
            if depth and self.random.random() < 0.5:
                made += self.loop(around, depth - 1)
            else:
                made += self.line(around)
        return made

    def loop(self, around: list[tuple[str, int]], depth: int) -> str:
        name, copies = "ijkl"[len(around)], self.random.choice([1, 2, 2, 3])
        count = copies * self.random.randint(1, 2)
        if len(around) == 2:
            return self.line(around)
        more = f" buffers={copies}" if copies > 1 else ""
        inner = [*around, (name, copies)]
        return (
            f".loop {name} in 0..{count}{more}\n{self.line(inner)}{self.block(inner, depth)}.end\n"
        )

    def tile(self, around: list[tuple[str, int]]) -> str:
        name = self.random.choice("xyz")
        count = self.tiles[name]
        fitting = [v for v, copies in around if copies % count == 0]
        if fitting and self.random.random() < 0.8:
            return f"{name}[{self.random.choice(fitting)} % {count}]"
        return f"{name}[{self.random.randrange(count)}]"

    def line(self, around: list[tuple[str, int]]) -> str:
        kind, engine = self.random.randrange(4), self.random.choice(["vector", "scalar"])
        queue = self.random.choice(["sync", "scalar"])
        row = around[-1][0] if around else "0"
        one, two, three = (self.tile(around) for _ in range(3))
        if kind == 0:
            return f"@{queue} DmaCopy {one}, X[{row}]\n"
        if kind == 1:
            self.stores += 1
            return f"@{queue} DmaCopy Y[{row} + {(self.stores - 1) * 16}], {one}\n"
        if kind == 2:
            return f"@{engine} TensorScalar {one}, {two}, op=add, operand=1\n"
        engine = self.random.choice(["vector", "gpsimd"])
        return f"@{engine} TensorTensor {one}, {two}, {three}, op=add\n"


def plain(text: str) -> str:
    """The same with all rounds written out."""
    return re.sub(r"\.loop (.*?)( buffers=\d)?\n", r".for \1\n", text)


@pytest.mark.parametrize("seed", part(range(400), 30))
def test_a_random_text_means_what_its_lines_mean_in_their_order(seed: int) -> None:
    text = Made(seed).text
    if ".loop" not in text:
        return
    made = synchronised(text)
    result = nasm.run(made)
    assert not result.report.problems, made
    wanted = nasm.run(nasm.assemble(plain(text), autosync=True))
    assert not wanted.report.problems
    for name, array in wanted.outputs.items():
        assert np.array_equal(array, result.outputs[name]), made


def test_lines_below_what_autosync_inserts_keep_their_numbers() -> None:
    text = f"""{HEAD}
.loop k in 0..N
@sync    DmaCopy  x[0], X[k*128 : +128, :]
@scalar  DmaCopy  Y[k*128 : +128, :], x[0]
.end
@vector  Memset   total, 0
; a remark
.expect Y == X + 1
"""
    program = autosynchronised(Source("made.nasm", text), assembled)
    wanted = [n for n, line in enumerate(text.splitlines(), 1) if line.startswith(".expect")]
    assert [each.span.line for each in program.expectations] == wanted
    written = [line for line in text.splitlines() if line.startswith(("@", ".loop"))]
    begins = {span.line for span in program.spans if span is not None}
    assert {n for n, line in enumerate(text.splitlines(), 1) if line in written} <= begins
    assert ".drain" in synchronised(text)


def test_a_loop_of_another_file_is_refused_at_its_line(tmp_path: Path) -> None:
    loop = ".loop k in 0..N\n@sync DmaCopy x[0], X[0:128, :]\n.end\n"
    (tmp_path / "part.nasm").write_text(f"\n{loop}")
    (tmp_path / "macro.nasm").write_text(f".macro go()\n{loop}.end\n")
    for name, call, where in (("part", "", "'.include'"), ("macro", "go()\n", "call of the macro")):
        text = f'.include "{name}.nasm"\n{call}'
        source = Source(str(tmp_path / "main.nasm"), HEAD + text)
        with pytest.raises(Failure) as failure:
            Synchronised(source, assembled, str(tmp_path))
        (problem,) = failure.value.problems
        assert problem.code == "E0841"
        assert problem.span is not None
        assert (problem.span.brief, problem.span.text) == (f"{name}.nasm:2", ".loop k in 0..N")
        assert where in problem.hint
