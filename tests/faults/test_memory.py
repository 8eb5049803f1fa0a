"""Every allocation of an array fails once; and all memory ends at several levels."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.programs import COMMAND, ENVIRONMENT
from tests.faults.allocations import ALLOCATIONS, works
from tests.faults.calls import CALLS, Call
from tests.faults.injecting import Bench

pytestmark = pytest.mark.skipif(not works(), reason="this NumPy keeps its allocator")

SOME = 3
"""How many allocations fail of each of a few verbs in the suite; ``make test-all`` has all."""

FEW = [call for call in CALLS if call.name in ("run", "check", "print-kernel", "repl")]


def bench_of(call: Call, folder: Path) -> tuple[Bench, int]:
    bench = Bench(call, folder)
    assert bench.clean.code == bench.call.code, bench.clean.out + bench.clean.err
    bench.ended(around=ALLOCATIONS.watched())
    return bench, ALLOCATIONS.count


def starved(bench: Bench, number: int) -> None:
    """One allocation finds no memory: E0808, or whatever a verb does without it."""
    ended = bench.ended(around=ALLOCATIONS.watched(number))
    try:
        bench.answered(ended)
        bench.whole(ended)
        assert ended.code == bench.clean.code or "memory" in ended.out + ended.err
    except (AssertionError, ValueError) as wrong:
        said = f"allocation {number}: {wrong}\n{ended.out}{ended.err}"
        raise AssertionError(said) from None


@pytest.mark.turns(4)
@pytest.mark.parametrize("call", FEW, ids=lambda call: call.name)
def test_some_allocations_fail(call: Call, tmp_path: Path) -> None:
    bench, count = bench_of(call, tmp_path)
    for n in range(min(SOME, count)):
        starved(bench, 1 + n * (count - 1) // (SOME - 1))


@pytest.mark.thorough
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_every_allocation_of_an_array_fails_once(call: Call, tmp_path: Path) -> None:
    bench, count = bench_of(call, tmp_path)
    for number in range(1, count + 1):
        starved(bench, number)


LEVELS = range(60, 700, 20)
"""MiB of address space: from too little for Python to enough."""

LARGE = """\
.target trn2
.hbm X f32[128, 8192] input = iota
.hbm Y f32[128, 8192] output
.sbuf x f32[128, 8192]
.sem loaded, stored
@sync DmaCopy x, X $loaded += 16
@sync DmaCopy Y, x $loaded >= 16 $stored += 16
@sync EventSemaphore $stored >= 16
.expect Y == X
"""


@pytest.mark.thorough
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of address space")
def test_a_process_whose_memory_ends_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "p.nasm").write_text(LARGE, encoding="utf-8")
    codes = set()
    for level in LEVELS:
        (tmp_path / "y.npy").write_text("old", encoding="utf-8")
        done = subprocess.run(
            [*COMMAND, "run", "p.nasm", "--out", "Y=y.npy", "--json"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
            env={**ENVIRONMENT, "OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=lambda most=level << 20: resource.setrlimit(
                resource.RLIMIT_AS, (most, most)
            ),
        )
        assert sorted(path.name for path in tmp_path.iterdir()) == ["p.nasm", "y.npy"]
        old = (tmp_path / "y.npy").read_bytes() == b"old"
        assert old == (done.returncode != 0), (level, done)
        codes.add(done.returncode)
        if b'"schema"' in done.stdout:  # else Python itself, or what it imports, did not start
            assert json.loads(done.stdout)["exit_code"] == done.returncode, (level, done)
            assert done.returncode in (0, 2), (level, done)
    assert {0, 2} <= codes
