"""Kernels that mean harm, or that nobody would write: how the command ends, and what it says.

Leaving the interpreter (``sys.exit``, ``os._exit``, a signal) is not among them: that is what a
child process is for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from tests.fuzz.calls import Calls
from tests.fuzz.finding import Found

HEAD = """\
import nki
import nki.isa as nisa
import nki.language as nl
{before}

{decorator}
def kernel(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    {first}
    nisa.dma_copy(dst=tile, src=x)
    {second}
    nisa.dma_copy(dst=y, src=tile)
    return {result}
"""
BEFORE = (
    "", "", "class Odd(Exception):\n    def __str__(self): raise ValueError('no text')",
    "import sys; sys.setrecursionlimit(120)", "nl = None", "del nki", "from nki import nothing",
    "class Odd(BaseException): pass", "raise KeyError('\\x1b[31m\\n')", "1 +", "\x00",
    "import numpy as np; np.float32 = None", "__builtins__ = {}", "kernel = 3",
)  # fmt: skip
STATEMENTS = (
    "pass", "pass", "raise Odd()", "raise BaseException('x')", "return kernel(x)",
    "raise GeneratorExit", "raise StopIteration", "raise KeyError(object())", "x.shape = (1,)",
    "x.dtype = None", "del tile", "tile = tile[::-1]", "tile = tile[None]", "tile = tile[10**9]",
    "tile = x", "(lambda f: f(f))(lambda f: f(f))", "nisa.dma_copy(dst=tile, src=None)",
    "nisa.dma_copy(dst=y, src=y)", "nisa.nothing()", "nl.ndarray((10**12,), dtype=nl.float32)",
    "nl.ndarray((-1, 0), dtype=nl.float32, buffer=nl.sbuf)", "nl.affine_range(10**18)",
    "nl.affine_range(object())", "exec('nisa.dma_copy(dst=tile, src=x)')", "yield 1",
    "import threading as t; a = t.Thread(target=nl.ones, args=((2,), 'f32')); a.start(); a.join()",
    "globals().clear()", "import builtins; assert builtins", "print('\\x1b]0;x\\x07\\udcff')",
    "raise UnicodeDecodeError('utf-8', b'', 0, 1, '\\udcff')",
    "raise ExceptionGroup('x', [ValueError()])",
    "raise MemoryError", "raise RecursionError", "raise OSError(2, 'x', '\\0')", "assert x == y",
    "if x: pass", "bool(tile)", "len(x), iter(x), hash(x), repr(x), str(x)",
    "x[x]", "x @ x", "x += 1",
    "import pickle; pickle.dumps(x)", "import copy; copy.deepcopy(x)", "nl.load(x)[0] = nl.load(x)",
)  # fmt: skip
RESULTS = (
    "y",
    "y",
    "y",
    "None",
    "x",
    "tile",
    "(y, y)",
    "[y]",
    "{}",
    "kernel",
    "3",
    "(y for _ in 'x')",
)
DECORATORS = (
    "@nki.jit",
    "@nki.jit",
    "@nki.jit",
    "@nki.jit()",
    "@nki.jit(mode='x')",
    "@property",
    "",
)


class Hostile(Calls):
    """Files of kernels, and a verb."""

    name, suffix, each = "hostile", ".json", 1
    memory, seconds = 1 << 30, 20.0

    def __init__(self) -> None:
        super().__init__()
        self.programs = {}

    def make(self, rng: Random) -> bytes:
        """A kernel, and how it is run."""
        text = HEAD.format(
            before=rng.choice(BEFORE),
            decorator=rng.choice(DECORATORS),
            first=rng.choice(STATEMENTS),
            second=rng.choice(STATEMENTS),
            result=rng.choice(RESULTS),
        )
        verb = rng.choice(["run", "nki", "check", "print", "profile"])
        name = rng.choice(["kernel", "kernel", "kernel", "Odd", "nl", "nothing"])
        words = [verb, f"k.py:{name}", "--in", "x=iota[4,4]"]
        words += ["--json"] if verb not in ("print",) and rng.random() < 0.7 else []
        return json.dumps({"text": text, "words": words}).encode()

    def check(self, data: bytes) -> None:
        """Run it; look at the end and at all that is said."""
        given = json.loads(data)
        words = given["words"]
        self.empty()
        (self.folder / "k.py").write_text(given["text"], encoding="utf-8")
        code, _, out, err = self.called(words)
        self.ended(code, words, out, err)
        if not (out or err):
            raise Found("exception", f"{words[0]} says nothing", given["text"])

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """A kernel is short."""
        return iter(())
