"""Every size of every program of the project, for all its values: a table, and brute force.

    python -m tests.check.surveyed          write the table of docs/sizes.md
    python -m tests.check.surveyed matmul   write its rows of programs with that in their name

A size is a constant that counts: tiles, rows, columns, rounds. What is found of one is tried at
sizes that were never looked at, each assembled and checked by itself.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nasm.base.problems import Failure
from nasm.base.source_files import source_of
from nasm.language.text import tree
from nasm.language.text.parse import parse
from nasm.runs.check import examine
from nasm.runs.check.size_answer import SizeRange, SizesAnswer
from nasm.runs.check.sizes import for_all
from nasm.runs.settings import RunSettings

ROOT = Path(__file__).parents[2]
PROGRAMS, PAGE = ROOT / "programs", ROOT / "docs" / "sizes.md"

SIZES = """\
attention: S=128.. step 128
attention: D=1..
columns: P=16..
columns: N=113..
digits: PIXELS=1..
digits: UNITS=1..
dma_trigger: N=2.. step 2
embedding: ROWS=1..
embedding: WIDTH=1..
embedding_gather: ROWS=4..
embedding_gather: WIDTH=1..
embedding_gather: REAL=1..23
exercises/overlap/solutions/four_tiles: N=1..
exercises/overlap/solutions/four_tiles: TILES=1..
exercises/overlap/starter: N=1..
exercises/sync/starter: N=1.. sync
exercises/sync/solutions/loads_first: N=1.. sync
exercises/tiles/starter: ROWS=128.. step 128 sync
exercises/tiles/solutions/all_at_once: ROWS=128.. step 128 sync
exercises/tiles/solutions/chunks: ROWS=128.. step 128 sync
exercises/wide/starter: N=200.. step 200 sync
exercises/wide/solutions/two_thousand: N=2000.. step 2000 sync
histogram: BINS=1..
layernorm: N=1..
lm_head: S=128.. step 128
lm_head: D=128.. step 128
lm_head: V=512.. step 512
matmul_credits: M=256.. step 256
matmul_credits: K=128.. step 128
matmul_credits: N=1024.. step 1024
matmul_k: K=128.. step 128
matmul_loops: M=256.. step 256
matmul_loops: K=128.. step 128
matmul_loops: N=1024.. step 1024
matmul_tiled: M=128.. step 128
matmul_tiled: K=128.. step 128
matmul_tiled: N=512.. step 512
pair_softmax: N=256..1024 step 256
published/depthwise: COUNT=64.. step 64
published/depthwise: WIDTH=1..
published/dma_chart: B=1..
published/layernorm_v1: ROWS=128.. step 128
published/layernorm_v1: COLUMNS=512.. step 512
published/mamba_v1: CHANNELS=128.. step 128, SEQ=512 STATES=4
published/mamba_v1: SEQ=1..
published/mamba_v1: STATES=1..
published/mamba_v2: CHANNELS=128.. step 128, STATES=4
published/mamba_v2: SEQ=512.. step 512, STATES=4
published/mamba_v2: STATES=1..
published/mamba_v2_long: CHANNELS=128.. step 128, STATES=4 SEQ=1024
published/mamba_v2_long: SEQ=512.. step 512, STATES=4
published/mamba_v2_long: STATES=1.., SEQ=1024
published/mamba_v3: CHANNELS=128.. step 128, STATES=4
published/mamba_v3: SEQ=512.. step 512, STATES=4
published/mamba_v3: STATES=1..
published/matmul_blocked: M=256.. step 256, K=1024 N=1024
published/matmul_blocked: K=1024.. step 128, M=512 N=1024
published/matmul_blocked: N=1024.. step 1024, M=512 K=1024
published/matmul_blocked_bf16: M=1024.. step 1024, K=1024 N=1024
published/matmul_blocked_bf16: K=1024.. step 128, M=1024 N=1024
published/matmul_blocked_bf16: N=1024.. step 1024, M=1024 K=1024
published/matmul_blocked_k: M=4096.. step 4096, K=1024 N=1024
published/matmul_blocked_k: K=1024.. step 1024, M=4096 N=1024
published/matmul_blocked_k: N=1024.. step 1024, M=4096 K=1024
published/matmul_hoisted: M=128.. step 128, K=512 N=1024
published/matmul_hoisted: K=128.. step 128, M=256 N=1024
published/matmul_hoisted: N=512.. step 512, M=256 K=512
published/matmul_naive: M=128.. step 128, K=512 N=1024
published/matmul_naive: K=128.. step 128, M=256 N=1024
published/matmul_naive: N=512.. step 512, M=256 K=512
published/matmul_naive_bf16: M=128.. step 128, K=512 N=1024
published/matmul_naive_bf16: K=128.. step 128, M=256 N=1024
published/matmul_naive_bf16: N=512.. step 512, M=256 K=512
published/matmul_stream: COUNT=1..
published/mixed_dge: F=512.. step 512
published/mixed_dge: EACH=1..
published/nkibench_adamw: ROWS=128.. step 128 sync
published/nkibench_bmm: BATCHES=1.. sync, M=512 N=1024
published/nkibench_bmm: M=512.. step 512 sync, BATCHES=1 N=1024
published/nkibench_bmm: N=1024.. step 1024 sync, BATCHES=1 M=512
published/nkibench_lora: M=512.. step 512 sync, N=1024 KT=8 KP=8
published/nkibench_lora: N=1024.. step 1024 sync, M=512 KT=8 KP=8
published/nkibench_lora: KT=8.. step 8 sync, M=512 N=1024 KP=8
published/nkibench_matmul: M=128.. step 128 sync, N=1024 KT=8
published/nkibench_matmul: N=1024.. step 1024 sync, M=128 KT=8
published/nkibench_matmul: KT=8.. step 8 sync, M=128 N=1024
published/nkibench_rmsnorm_matmul: M=1024.. step 1024 sync, N=1024
published/nkibench_rmsnorm_matmul: N=1024.. step 1024 sync, M=1024
published/nkibench_swiglu: M=512.. step 512 sync, N=1024
published/nkibench_swiglu: N=1024.. step 1024 sync, M=512
published/nkibench_transpose_matmul: M=1024.. step 1024 sync, N=3072
published/nkibench_transpose_matmul: N=3072.. step 1024 sync, M=1024
published/nkibench_transpose_matmul: KT=12..24 sync, M=1024 N=3072
published/vector_add: COUNT=1..
published/vector_add: F=1..
published/vector_add: BUFFERS=1..
published/vector_add_profiled: COUNT=1..
published/vector_add_profiled: F=1..
ring: K=128.. step 128
softmax: N=1..
tensix/claims/fp8: TILES=1..
tensix/claims/peak: TILES=1..
tensix/matmul_k: ROUNDS=2..
tensix/noc/matmul_tiles: N=1..
tensix/noc/matmul_tiles: K=1..
tensix/ring: ROUNDS=1..
tensix/tilize: TILES=1..
transformer_block: S=128.. step 128
transformer_block: F=128.. step 128
transpose: N=128.. step 128
"""
"""The sizes, each with the values that its program takes, and with those that others have."""

LIBRARIES = "lib/"
EXERCISES = re.compile(r"exercises/.*/wrong/.*|exercises/conv_pool/.*")
"""Texts that are in no order, and one whose number of blocks decides what it slices."""

NOT_SIZES = {
    r".*/?\w+_AT": "an address",
    r"P|T|T[MKN]|WIDTH": "of a tile, as the machine has it",
    r"tensix/.* (PHASES|FP32|DST32)": "how exact products are",
    r"tensix/(blackhole/)?matmul_bfp8 .*": "tiles of which half of Dst has four, and their bytes",
    r"tensix/noc/.* (FIRST|X|Y)": "a place on the chip",
    r"tensix/claims/peak BEGIN": "an address",
    r"tensix/blackhole/stream .*": "a number of a stream, or of what it is set up with",
    r"(double_row|mx|pair_softmax|ring) [MNK]": "of a tile, as the machine has it",
    r"(digits|embedding\w*|columns|histogram) (IMAGES|DIGITS|COUNT)": "of a file or list",
    r"published/\w+ (B[MNK]|[ABRD][WAB]?|KEPT|RING|KP|SIDE|OUT|FIRST|AHEAD|SHARED|READY|REUSED)": (
        "how far ahead it works, or in which blocks"
    ),
    r"published/\w+ (RELOAD|SHORT|TILED)": "a choice",
    r"transformer_block [DH]": "of a file",
    r"exercises/.* W": "of a tile",
}
"""Constants that count nothing, by program and name, and what they are."""

NEAR = 16
"""Where memory ends is tried at as many times the largest size that was looked at."""

_PAIR = re.compile(
    r"(?P<stem>\S+): (?P<name>\w+)=(?P<first>\d+)\.\.(?P<last>\d+)?(?: step (?P<step>\d+))?"
    r"(?P<sync> sync)?(?:, (?P<others>.*))?"
)


class Sized(NamedTuple):
    """A size of a program: its values, those that other constants have, and what it lacks."""

    stem: str
    range: SizeRange
    others: dict[str, int]
    sync: bool

    @property
    def settings(self) -> RunSettings:
        """How it is assembled."""
        return RunSettings(defines=self.others or None, autosync=self.sync)

    def answer(self) -> SizesAnswer:
        """What is found of it."""
        return for_all(source_of(self.path), self.range, self.settings, None)

    @property
    def path(self) -> Path:
        """The file of the program."""
        return PROGRAMS / f"{self.stem}.nasm"

    def sound(self, size: int) -> bool:
        """Whether one size is in order, by itself; raises Failure if there is none."""
        settings = RunSettings(defines={**self.others, self.range.name: size}, autosync=self.sync)
        program = settings.assembled(source_of(self.path)).program
        return not examine(program).errors


def pairs() -> list[Sized]:
    """Every size."""
    return [_pair(line) for line in SIZES.splitlines()]


def _pair(line: str) -> Sized:
    found = _PAIR.fullmatch(line)
    assert found is not None, line
    last, step = (int(found[each]) if found[each] else None for each in ("last", "step"))
    values = SizeRange(found["name"], int(found["first"]), last, step)
    some = (each.split("=") for each in (found["others"] or "").split())
    return Sized(found["stem"], values, {name: int(n) for name, n in some}, bool(found["sync"]))


def constants() -> Iterator[tuple[str, str]]:
    """Every constant of a text that is a number, with its program."""
    for path in sorted(PROGRAMS.rglob("*.nasm")):
        stem = path.relative_to(PROGRAMS).with_suffix("").as_posix()
        if not stem.startswith(LIBRARIES) and not EXERCISES.fullmatch(stem):
            for statement in parse(source_of(path))[0].body:
                items = statement.items if isinstance(statement, tree.Const) else ()
                for item in items:
                    number = isinstance(item.value, tree.NumberLiteral)
                    if number and isinstance(item.value.value, int):
                        yield stem, item.name
                if isinstance(statement, tree.Param):
                    yield stem, statement.name.name


def judge(sized: Sized, found: SizesAnswer, count: int) -> None:
    """What is found of a size is so: at sizes beyond, and next to where it ends."""
    step = found.step
    if found.failing is not None:
        before = found.failing - step
        assert before not in found.sizes or sized.sound(before)
        assert found.failing == found.range.first or found.sizes
        assert not _fine(sized, found.failing)
        return
    if found.too_large is not None and found.too_large <= NEAR * found.sizes[-1]:
        assert not _fine(sized, found.too_large)
    beyond = (found.sizes[-1] + step * (1 + 2 * number) for number in range(count))
    for size in beyond if found.proved else ():
        if _within(found, size):
            assert sized.sound(size), size


def _fine(sized: Sized, size: int) -> bool:
    try:
        return sized.sound(size)
    except Failure:
        return False


def _within(found: SizesAnswer, size: int) -> bool:
    last = found.range.last
    return (last is None or size <= last) and (found.too_large is None or size < found.too_large)


# ---------------------------------------------------------------- the table

HEAD = (
    "| program | size | others | in order | memory | by themselves | not proved, or found |\n"
    "| --- | --- | --- | --- | --- | ---: | --- |\n"
)


def row(sized: Sized, found: SizesAnswer) -> str:
    """The row of a size."""
    given = [f"{name} = {n:,}" for name, n in sized.others.items()]
    others = ", ".join([*given, "`--autosync`"] if sized.sync else given)
    if found.failing is not None:
        verdict = f"not at {found.failing:,}"
    elif found.proved:
        verdict = "at every size"
    else:
        verdict = f"up to {found.sizes[-1]:,}"
    memory = "" if found.too_large is None else f"up to {found.too_large - found.step:,}"
    why = found.problems[0].message if found.problems else found.reason
    cells = (
        f"`{sized.stem}`", _values(found), others, verdict, memory, f"{len(found.sizes)}",
        why.replace("|", "\\|"),
    )  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _values(found: SizesAnswer) -> str:
    name, last = found.range.name, found.range.last
    first = found.sizes[0] if found.sizes else found.range.first
    step = f", by {found.step:,}" if found.step > 1 else ""
    return f"{name} from {first:,}{step}" if last is None else f"{name} from {first:,} to {last:,}"


def rows_of_page() -> list[str]:
    """The rows of the page as it is."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("| `")]


def main(arguments: list[str]) -> None:
    """Write the rows of all sizes, or of some programs, into the page."""
    known = {_key(line): line for line in rows_of_page()}
    for sized in pairs():
        if not arguments or any(each in sized.stem for each in arguments):
            found = sized.answer()
            judge(sized, found, 10)
            made = row(sized, found)
            known[_key(made)] = made
            sys.stdout.write(f"{made}\n")
            sys.stdout.flush()
    text = PAGE.read_text(encoding="utf-8")
    start, end = text.index(HEAD) + len(HEAD), text.index("<!-- end -->")
    rows = "".join(f"{known[key_of(one)]}\n" for one in pairs() if key_of(one) in known)
    PAGE.write_text(text[:start] + rows + text[end:], encoding="utf-8")


def key_of(sized: Sized) -> tuple[str, str]:
    """The program and the name of a size."""
    return sized.stem, sized.range.name


def _key(line: str) -> tuple[str, str]:
    """The same of a row of the page."""
    program, size = line.split("|")[1:3]
    return program.strip(" `"), size.split()[0]


if __name__ == "__main__":
    main(sys.argv[1:])
