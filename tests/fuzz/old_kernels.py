"""Kernels of NKI 0.1, changed: refused at a line, or run as they mean one call after the other."""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

import nasm.nki
from nasm.base.problems import Failure
from nasm.nki.exceptions import telling
from tests.fuzz import promises
from tests.fuzz.dialect.cells import OutsideIndex
from tests.fuzz.dialect.changes import mutated
from tests.fuzz.dialect.eager import meant
from tests.fuzz.finding import Found

FOLDER = Path(__file__).parent / "dialect" / "kernels"
CYCLES = 4_000_000


def texts() -> dict[str, str]:
    """Kernels by their names; the first line of each has the shapes of its arguments."""
    return {path.stem: path.read_text() for path in sorted(FOLDER.glob("*.py"))}


def arrays(source: str) -> list[Any]:
    """Small whole numbers, so that no sum depends on its order."""
    shapes = json.loads(source.partition("\n")[0].removeprefix("#"))
    rng = np.random.default_rng(len(source))
    return [rng.integers(-9, 9, shape).astype(np.float32) for shape in shapes]


class OldKernels:
    """Texts of kernels of NKI 0.1."""

    name, suffix, each = "dialect", ".py", 1
    memory, seconds = 1 << 30, 20.0

    def __init__(self) -> None:
        self.texts = list(texts().values())
        self.counts = {"refused": 0, "run": 0, "compared": 0, "unmodelled": 0}

    def make(self, rng: Random) -> bytes:
        """A changed kernel."""
        return mutated(rng, rng.choice(self.texts)).encode()

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """Lines."""
        yield data.splitlines(keepends=True)

    def check(self, data: bytes) -> None:
        """Run it; what is not refused is compared with what it means."""
        source = data.decode()
        try:
            given = arrays(source)
        except (ValueError, TypeError):
            return
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            try:
                with telling():
                    copies = [one.copy() for one in given]  # a kernel may write its arguments
                    made = nasm.nki.run(kernel(source), *copies, max_cycles=CYCLES)
            except Failure as failure:
                self.counts["refused"] += 1
                promises.refused(failure)
                return
            self.counts["run"] += 1
            self._compare(source, given, made.outputs)

    def _compare(self, source: str, given: list[Any], found: Any) -> None:
        try:
            wanted, known = meant(source, given)
        except OutsideIndex:
            raise Found("hash", "an index outside in silence", source) from None
        except Exception:  # what the model does not have: shapes, dtypes, what Python refuses
            self.counts["unmodelled"] += 1
            return
        self.counts["compared"] += 1
        with np.errstate(all="ignore"):
            got = np.asarray(found, np.float64)
            if got.size != wanted.size:
                raise Found("hash", "another shape than is meant", f"{got.shape}\n{source}")
            got = got.reshape(wanted.shape)
            known = known & np.isfinite(wanted) & (np.abs(wanted) < 1e30)
            room = 1e-5 * (np.abs(wanted[known]).max(initial=0) + 1)
            wrong = known & ~(np.abs(got - wanted) <= room)
        if wrong.any():
            at = tuple(int(n) for n in np.argwhere(wrong)[0])
            details = f"{list(at)}: {got[at]}, wanted {wanted[at]}; {wrong.sum()} of {known.sum()}"
            raise Found("hash", "another value than is meant", f"{details}\n{source}")


def kernel(source: str) -> Any:
    """The kernel of a text."""
    name = f"old-kernel-{zlib.crc32(source.encode()):08x}.py"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    module = ModuleType("fuzzed")
    with nasm.nki.installed():
        exec(compile(source, name, "exec"), vars(module))
        return module.kernel
