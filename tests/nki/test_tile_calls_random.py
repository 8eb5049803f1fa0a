"""Random kernels of NKI 0.1: what they give is what the same steps give in NumPy, one by one."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np

import nasm.nki
from nasm.base.problems import Failure
from nasm.base.records import dataclass
from nasm.nki.exceptions import problem_of
from tests.parts import part
from tests.tables import each

with nasm.nki.installed():
    from neuronxcc import nki
    from neuronxcc.nki import language as nl

ROWS, COLUMNS = 16, 12
NAMES = ("a", "b", "first", "second")
FUNCTIONS = ("add", "subtract", "maximum", "minimum")


@dataclass(frozen=True, slots=True)
class Place:
    """Part of a tile: how many rows, and of the columns a start, a step and a count."""

    rows: int
    start: int
    step: int
    columns: int
    vectors: bool

    def of(self, tile: Any) -> Any:
        """The part of a tile, in NumPy and in NKI by slices."""
        return tile[0 : self.rows, self.start : self.start + self.step * self.columns : self.step]

    def key(self) -> Any:
        """The same as an index of NKI."""
        if self.vectors:
            grid = nl.mgrid[0 : self.rows, 0 : self.columns]
            return grid.p, self.step * grid.x + self.start
        end = self.start + self.step * (self.columns - 1) + 1
        return slice(0, self.rows), slice(self.start, end, self.step)


@dataclass(frozen=True, slots=True)
class Step:
    """One statement: what is done, to which tiles, where, and the bounds of its mask."""

    kind: str
    names: tuple[str, ...]
    places: tuple[Place, ...]
    function: str
    number: int
    bounds: tuple[int, int] | None


def steps(random: Random) -> list[Step]:
    """The statements of a kernel."""
    made = []
    for _ in range(random.randint(2, 9)):
        rows, columns = random.randint(1, ROWS), random.randint(1, COLUMNS // 2)
        bounds = (random.randint(0, rows + 1), random.randint(0, columns + 1))
        vectors = random.random() < 0.6
        places = tuple(_place(random, rows, columns, vectors) for _ in range(3))
        names = tuple(random.choice(NAMES) for _ in range(3))
        kind = random.choice(("load", "apply", "apply", "add", "twice", "fill", "store", "loop"))
        masked = bounds if random.random() < 0.4 else None
        made.append(
            Step(kind, names, places, random.choice(FUNCTIONS), random.randint(-4, 4), masked)
        )
    return made


def _place(random: Random, rows: int, columns: int, vectors: bool) -> Place:
    step = random.randint(1, 2)
    start = random.randint(0, COLUMNS - step * columns)
    return Place(rows, start, step, columns, vectors)


def in_numpy(program: list[Step], x: Any) -> Any:
    """What the statements give, one after the other."""
    tiles = {name: np.zeros((ROWS, COLUMNS), np.float32) for name in NAMES}
    out = np.zeros_like(x)
    for step in program:
        apply = getattr(np, step.function)
        to, one, other = (
            place.of(tiles[n]) for place, n in zip(step.places, step.names, strict=True)
        )
        some = np.ones(to.shape, np.bool_)
        if step.bounds is not None:
            some[step.bounds[0] :], some[:, step.bounds[1] :] = False, False
        match step.kind:
            case "load":
                to[some] = step.places[1].of(x)[some]
            case "apply":
                to[some] = apply(one, other)[some]
            case "add":
                to += one.copy()
            case "twice":
                made = apply(one, step.number)
                to[...] = made
                step.places[2].of(tiles[step.names[2]])[...] = made
            case "fill":
                to[...] = step.number
            case "store":
                step.places[1].of(out)[some] = to[some]
            case "loop":
                for n in range(3):
                    to[...] = apply(one, n * step.number)
    return np.stack([out, *tiles.values()])


def in_nki(program: list[Step], x: Any) -> Any:
    """The same as a kernel."""
    out = nl.zeros((ROWS, COLUMNS), dtype=nl.float32, buffer=nl.shared_hbm)
    blocks = nl.zeros((2, nl.par_dim(ROWS), COLUMNS), dtype=nl.float32)
    tiles = {name: nl.zeros((ROWS, COLUMNS), dtype=nl.float32) for name in NAMES[:2]}
    tiles |= {"first": blocks[0], "second": blocks[1]}
    for step in program:
        _stepped(step, tiles, out, x)
    found = nl.ndarray((5, ROWS, COLUMNS), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(found[0], nl.load(out))
    for n, name in enumerate(NAMES):
        nl.store(found[n + 1], tiles[name])
    return found


def _stepped(step: Step, tiles: dict[str, Any], out: Any, x: Any) -> None:
    apply = getattr(nl, step.function)
    to, one, other = (tiles[name] for name in step.names)
    at, here, there = (place.key() for place in step.places)
    mask = None
    if step.bounds is not None:
        grid = nl.mgrid[0 : step.places[0].rows, 0 : step.places[0].columns]
        mask = (grid.p < step.bounds[0]) & (grid.x < step.bounds[1])
    match step.kind:
        case "load":
            to[at] = nl.load(x[here], mask=mask)
        case "apply":
            to[at] = apply(one[here], other[there], mask=mask)
        case "add":
            to[at] += one[here]
        case "twice":
            made = apply(one[here], step.number)
            to[at] = made
            other[there] = made
        case "fill":
            to[at] = step.number
        case "store":
            nl.store(out[here], to[at], mask=mask)
        case "loop":
            for n in nl.sequential_range(3):
                to[at] = apply(one[here], n * step.number)


def numbers(seed: int) -> Any:
    return np.random.default_rng(seed).integers(-9, 9, (ROWS, COLUMNS)).astype(np.float32)


@each("seed", part(range(1000), 12))
def test_random_kernels_are_what_their_steps_are(seed: int) -> None:
    program, x = steps(Random(seed)), numbers(seed)
    kernel = nki.jit(lambda x: in_nki(program, x))
    np.testing.assert_array_equal(kernel(x), in_numpy(program, x))


# ---------------------------------------------------------------- texts

TEXT = """
import numpy as np
from neuronxcc import nki
from neuronxcc.nki import isa as nisa, language as nl

@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((12, 12), dtype=nl.float32, buffer=nl.psum)
    tiles = nl.ndarray((2, nl.par_dim(16), 12), dtype=x.dtype)
    p, f = nl.arange(16)[:, None], nl.arange(12)[None, :]
    for i in nl.affine_range(2):
        tiles[i] = nl.load(x[p, f], mask=(p < 14) & (f * 2 + i < 20))
        total += nisa.nc_matmul(tiles[i, :, 0:12], tiles[i])
        most = nl.loop_reduce(tiles[i], op=np.max, loop_indices=[i])
    kept = nisa.tensor_scalar(most, np.multiply, 2.0, op1=np.add, operand1=nl.sum(most, axis=[1]))
    kept[p, f] = nisa.activation(op=nl.exp, data=kept, scale=0.5, dtype=nl.float32)
    nl.store(out[p, f], value=kept, mask=(p < 12))
    return out
"""

WORDS = (
    "0", "1", "2", "16", "12", "-1", "2.0", "None", "i", "p", "f", "x", "out", "total", "tiles",
    "kept", "most", "nl.float32", "nl.int32", "nl.psum", "nl.sbuf", "nl.shared_hbm", "np.add",
    "nl.add", "nl.exp", "(p < 3)", "[i]", "[:, None]", "...", "nl.ds(0, 4)", "tiles[i]", "p[0]",
)  # fmt: skip
"""What takes the place of a word of the text."""


def mutated(random: Random) -> str:
    """The text with a few of its words replaced, left out or exchanged."""
    parts = TEXT.split(" ")
    for _ in range(random.randint(1, 3)):
        at = random.randrange(40, len(parts))
        kind = random.random()
        if kind < 0.7:
            word = parts[at]
            inner = [n for n, c in enumerate(word) if c in "([,"]
            start = random.choice(inner) + 1 if inner else 0
            parts[at] = word[:start] + random.choice(WORDS) + word[len(word.rstrip("),]:\n")) :]
        elif kind < 0.85:
            parts[at] = parts[at].replace("16", "17").replace("12", "8").replace("+=", "=")
        else:
            other = random.randrange(40, len(parts))
            parts[at], parts[other] = parts[other], parts[at]
    return " ".join(parts)


def programs(seed: int) -> Iterator[str]:
    """Mutated texts that Python can read, and that change no module."""
    random = Random(seed)
    for text in (mutated(random) for _ in range(20)):
        if _readable(text):
            nodes = ast.walk(ast.parse(text))
            if not any(isinstance(n, ast.Attribute) and type(n.ctx) is ast.Store for n in nodes):
                yield text


def _readable(text: str) -> bool:
    """Whether Python takes a text without a warning, such as that a number is called."""
    with suppress(SyntaxError, SyntaxWarning), warnings.catch_warnings():
        warnings.simplefilter("error", SyntaxWarning)
        compile(text, "<mutated>", "exec")
        return True
    return False


@each("seed", part(range(1000), 6))
def test_mutated_kernels_run_or_are_refused(seed: int) -> None:
    for text in programs(seed):
        with nasm.nki.installed():
            code = compile(text, f"<mutated {seed}>", "exec")
            names: dict[str, Any] = {}
            try:
                exec(code, names)
                names["kernel"](numbers(seed))
            except Exception as error:
                reported = isinstance(error, Failure) or problem_of(error) is not None
                if not reported:
                    raise AssertionError(text) from error
