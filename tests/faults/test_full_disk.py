"""A disk that is full, or gets full while a result is written: a file system in memory, mounted."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.faults.calls import CALLS, Call
from tests.faults.injecting import Bench

BLOCK = 4096
"""Bytes by which such a file system counts."""

SIZE = 256 * BLOCK
MOST = 14
"""Blocks of which all results of each call have room."""

WRITING = [call for call in CALLS if call.name in ("run", "run-inputs", "profile", "fmt", "asm")]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("small")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "nasm-tests", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except OSError as problem:
        pytest.skip(f"no file system can be mounted here: {problem}")
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@contextlib.contextmanager
def filled(disk: Path, blocks: int) -> Iterator[None]:
    """A disk with so many blocks left."""
    path = disk / "fill"
    with path.open("wb", buffering=0) as out, contextlib.suppress(OSError):
        while out.write(bytes(BLOCK)):
            pass
    os.truncate(path, max(0, path.stat().st_size - blocks * BLOCK))
    try:
        yield
    finally:
        path.unlink()


def squeezed(call: Call, small: Path, folder: Path, left: Iterable[int]) -> None:
    """A call on a disk with ever more blocks left: nothing fits on the first, all on the last."""
    bench = Bench(call, folder, small)
    assert bench.clean.code == 0
    codes = []
    for blocks in left:
        ended = bench.ended(around=filled(small, blocks))
        bench.answered(ended)
        bench.whole(ended)
        codes.append(ended.code)
    assert codes[0] == 2
    assert codes[-1] == 0


def test_a_full_disk_costs_what_does_not_fit(small: Path, tmp_path: Path) -> None:
    squeezed(WRITING[0], small, tmp_path, (0, 1, 2, MOST))


@pytest.mark.thorough
@pytest.mark.parametrize("call", WRITING, ids=lambda call: call.name)
def test_a_disk_with_any_room_costs_what_does_not_fit(
    call: Call, small: Path, tmp_path: Path
) -> None:
    squeezed(call, small, tmp_path, range(MOST + 1))
