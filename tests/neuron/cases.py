"""Random cases of an instruction, on random machines, tiles and access patterns.

A test written with :func:`random_cases` describes one case: it draws tiles and settings, adds
lines, and says what must be in a tile afterwards, which a scalar model has worked out. Hypothesis
makes some hundred of them and shows the smallest program that fails::

    @random_cases()
    def test_tensor_tensor(draw: Draw) -> None:
        shape = draw.shape()
        a, b = draw.tile(shape), draw.tile(shape)
        dst = draw.result(shape)
        op = draw.one_of("add", "maximum")
        draw.line(f"@vector TensorTensor {dst}, {a}, {b}, op={op}")
        draw.expect(dst, model.tensor_tensor(a.values, b.values, op, dst.dtype))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from nasm.base import dtypes
from nasm.machine.records import Status
from tests.neuron import programs
from tests.neuron.choices import CASES, Choices, examples
from tests.neuron.programs import GENERATIONS, Array

FLOATS = ("float32", "bfloat16", "float16", "float8_e4m3", "float8_e5m2")
INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32")
Cut = Callable[[Array], Array]


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """An operand: how a program writes it, and what it holds when the program starts."""

    name: str
    text: str
    dtype: str
    values: Array
    cut: Cut

    def __str__(self) -> str:
        return self.text

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def rows(self) -> Array:
        """The values with their free axes as one, as engines walk them."""
        return self.values.reshape(len(self.values), -1)


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What a tile must hold after the run: equal bit for bit but for NaN, or close."""

    tile: Tile
    values: Array
    rtol: float
    atol: float


class Draw(Choices):
    """One case being made: a program, and what must come of it. ``on`` is the machine.

    ``edges`` is the chance that wild contents are mostly values from the edges of their dtype.
    """

    def __init__(self, random: Random, on: Sequence[str], edges: float = 0.0) -> None:
        super().__init__(random)
        self.on = str(self.one_of(*on))
        self.edges = edges
        self.tensors: dict[str, programs.Tile] = {}
        self.lines: list[str] = []
        self.wanted: list[Wanted] = []
        self.messages: list[Callable[[str], None]] = []

    def __repr__(self) -> str:
        """The program and what its tensors hold: what a failing test shows."""
        held = [
            f"{t.declaration(n)}  # {'nothing' if t.values is None else t.values.tolist()}"
            for n, t in self.tensors.items()
        ]
        return "\n".join(["", f".target {self.on}", *held, *self.lines])

    # -- choices

    def partitions(self, most: int = 128) -> int:
        """A number of partitions; small ones and the limits are likely."""
        usual = (1, 2, 3, 8, 31, 32, 33, 64, 65, 128)
        return min(most, self.one_of(*usual, 0) or self.number(1, 128))

    def shape(self, most: int = 40, axes: int = 3, partitions: int = 128) -> tuple[int, ...]:
        """A tile's shape: partitions, then one to ``axes`` free axes of ``most`` in all."""
        sizes = [self.number(1, most)]
        while len(sizes) < axes and self.flag(0.3):
            sizes.append(self.number(1, max(1, most // math.prod(sizes))))
        return (self.partitions(partitions), *sizes)

    def dtype(self, *options: str) -> str:
        """A dtype: one of these, or of those of every generation."""
        return str(self.one_of(*(options or (*FLOATS, *INTEGERS))))

    def any_dtype(self) -> str:
        """A dtype that holds plain numbers: any of the machine's."""
        return self.dtype(*FLOATS, *INTEGERS, "tfloat32", self.rare)

    @property
    def rare(self) -> str:
        """The 8-bit float that not every generation has: v4 took one away and added another."""
        return "float8_e4m3fn" if self.on == "trn3" else "float8_e3m4"

    # -- values

    def content(self, dtype: str, shape: Sequence[int], wild: bool = True) -> Array:
        """Values of a dtype: small numbers, large ones or, if ``wild``, any bits at all."""
        found = dtypes.find(dtype)
        assert found is not None
        if wild and self.edges and self.flag(self.edges):
            return self.some(self._edges(dtype), shape)
        small = ("counting", "same", "small", "small", "small")
        kind = self.one_of(*small, *(["large", "large", "bits", "bits"] if wild else []))
        if kind == "counting":
            counted = 1 + np.arange(math.prod(shape)).reshape(shape) % 9
            return counted.astype(found.numpy)
        if kind == "same" and not found.is_int:
            return np.full(shape, self.real()).astype(found.numpy)
        if kind == "bits":
            width = found.numpy.itemsize
            raw = self.generator().integers(0, 256, (*shape, width), np.uint8)
            return raw.view(found.numpy).reshape(tuple(shape))
        if found.is_int:
            info = np.iinfo(found.numpy)
            low, high = (info.min, info.max) if kind == "large" else (max(info.min, -8), 8)
            return self.numbers(low, high, shape).astype(found.numpy)
        scale = 10.0 ** self.number(-3, 5) if kind == "large" else 2.0
        with np.errstate(all="ignore"):
            return (self.generator().standard_normal(shape) * scale).astype(found.numpy)

    def _edges(self, dtype: str) -> Array:
        """Zeros of both signs, infinities, NaN, subnormals and the largest values, among others."""
        found = dtypes.find(dtype)
        assert found is not None
        if found.is_int:
            info = np.iinfo(found.numpy)
            some = [0, 1, 2, -1, 127, info.max, info.min, info.min + 1, 2**24, 2**24 + 1]
            return np.array([v for v in some if info.min <= v <= info.max], found.numpy)
        top = 2 ** (8 * found.itemsize - 1)
        raw = [self.number(0, 2 * top - 1) for _ in range(3)]
        bits = np.array([0, top, 1, top + 1, 2, *raw], np.uint64)
        with np.errstate(all="ignore"):
            plain = np.array([1, -1, 0.5, np.inf, -np.inf, np.nan, found.max_finite])
            first = plain.astype(found.numpy)
        return np.concatenate([first, bits.astype(found.bits_dtype).view(found.numpy)])

    def tile(
        self,
        shape: Sequence[int],
        dtype: str = "",
        memory: str = "sbuf",
        *,
        values: Array | None = None,
        wild: bool = True,
        plain: bool = False,
        lanes: bool = True,
        once: bool = False,
    ) -> Tile:
        """An input of a shape, seen through a random access pattern unless ``plain``.

        ``lanes`` keeps to the start partitions that engines can address, ``once`` to patterns that
        repeat no element.
        """
        dtype = dtype or self.dtype()
        shape = tuple(shape)
        if values is not None:
            shape, values = values.shape, np.ascontiguousarray(values)
        repeats = values is None and not (plain or once) and math.prod(shape[1:]) > 1
        if repeats and self.flag(0.1):
            return self._repeated(shape, dtype, memory, lanes, wild)
        return self._seen(shape, dtype, memory, values, wild, plain, lanes)

    def result(
        self,
        shape: Sequence[int],
        dtype: str = "",
        memory: str = "sbuf",
        *,
        written: bool | None = None,
        plain: bool = False,
        lanes: bool = True,
    ) -> Tile:
        """A destination; ``values`` is what it holds before, if it holds anything."""
        dtype = dtype or self.dtype()
        before = self.flag(0.3) if written is None else written
        made = self._seen(tuple(shape), dtype, memory, None, False, plain, lanes)
        if not before:
            old = self.tensors[made.name]
            self.tensors[made.name] = programs.Tile(old.memory, old.dtype, old.shape)
        return made

    def column(self, partitions: int, dtype: str = "float32", wild: bool = True) -> Tile:
        """A [P, 1] tile: one value per partition."""
        return self._seen((partitions, 1), dtype, "sbuf", None, wild, True, True)

    # -- the program

    def line(self, text: str) -> None:
        """Add an instruction, with its ``@engine``."""
        self.lines.append(text)

    def fresh(self, name: str) -> str:
        """A name nothing else has."""
        return f"{name}{len(self.tensors)}_{len(self.lines)}"

    def declare(self, text: str) -> None:
        """Add a line in front of every instruction: a directive."""
        self.lines.insert(0, text)

    def expect(self, tile: Tile, want: Any, rtol: float = 0.0, atol: float = 0.0) -> None:
        """Say what a tile must hold after the run."""
        self.wanted.append(Wanted(tile, np.asarray(want), rtol, atol))

    def message(self, check: Callable[[str], None]) -> None:
        """Look at the text of the next message of the run."""
        self.messages.append(check)

    # -- how tiles are made

    def _declared(self, memory: str, dtype: str, values: Array) -> str:
        name = f"t{len(self.tensors)}"
        self.tensors[name] = programs.Tile(memory, dtype, values.shape, values)
        return name

    def _start(self, partitions: int, lanes: bool) -> int:
        if not lanes:
            return self.number(0, 128 - partitions)
        legal = (0,) if partitions > 64 else (0, 64) if partitions > 32 else (0, 32, 64, 96)
        return int(self.one_of(*legal))

    def _seen(
        self,
        shape: tuple[int, ...],
        dtype: str,
        memory: str,
        values: Array | None,
        wild: bool,
        plain: bool,
        lanes: bool,
    ) -> Tile:
        """A tensor of which an access pattern shows just this shape."""
        sizes, cuts, text = list(shape), [slice(None)] * len(shape), [":"] * len(shape)
        if memory != "hbm" and not plain:
            start = self._start(shape[0], lanes)
            sizes[0] = start + shape[0]
            cuts[0], text[0] = slice(start, start + shape[0]), f"{start}:{start + shape[0]}"
        for axis in range(0 if memory == "hbm" else 1, 0 if plain else len(shape)):
            sizes[axis], cuts[axis], text[axis] = self._along(shape[axis])
        if values is None:
            whole = self.content(dtype, sizes, wild)
        else:
            whole = np.zeros(sizes, values.dtype)
            whole[tuple(cuts)] = values
        name = self._declared(memory, dtype, whole)
        key = tuple(cuts)
        spelled = name if all(t == ":" for t in text) else f"{name}[{', '.join(text)}]"
        return Tile(name, spelled, dtype, whole[key], lambda array: array[key])

    def _along(self, count: int) -> tuple[int, slice, str]:
        """One free axis: its size, a slice of ``count`` elements of it, and how it is written."""
        how = self.one_of("all", "all", "part", "steps", "reversed")
        if how == "all":
            return count, slice(None), ":"
        if how == "part":
            start = self.number(0, 3)
            return start + count + 2, slice(start, start + count), f"{start} : +{count}"
        if how == "reversed":
            return count, slice(None, None, -1), "::-1"
        start, step = self.number(0, 2), self.number(2, 3)
        stop = start + step * (count - 1) + 1
        return stop, slice(start, stop, step), f"{start}:{stop}:{step}"

    def _repeated(
        self, shape: tuple[int, ...], dtype: str, memory: str, lanes: bool, wild: bool
    ) -> Tile:
        """A [P, 1, …] tensor repeated along its free axes."""
        inner = self._seen(
            (shape[0], *[1] * (len(shape) - 1)), dtype, memory, None, wild, False, lanes
        )
        text = f"{inner.text}.broadcast({', '.join(map(str, shape))})"
        values = np.broadcast_to(inner.values, shape)
        return Tile(inner.name, text, dtype, values, lambda a: np.broadcast_to(inner.cut(a), shape))


def random_cases(
    on: Sequence[str] = GENERATIONS, cases: int = CASES, edges: float = 0.0
) -> Callable[[Callable[[Draw], None]], Callable[[], None]]:
    """Make a test of a function that draws one case: so many cases, each a program.

    ``edges`` is the chance that a tile holds zeros, infinities, NaN, subnormals and extremes.
    """

    def make(case: Callable[[Draw], None]) -> Callable[[], None]:
        def drawn(random: Random) -> Draw:
            made = Draw(random, on, edges)
            case(made)
            return made

        return examples(drawn, _check, case.__name__, cases)

    return make


def _check(case: Draw) -> None:
    """Run the program of a case and look at every tile it speaks of."""
    made = programs.session("\n".join(case.lines), case.on, **case.tensors)
    report = made.run(hashes=False)
    assert (report.problems, report.hazards) == ((), ())
    assert report.status is Status.FINISHED
    for check, message in zip(case.messages, made.messages, strict=True):
        check(message.text)
    for wanted in case.wanted:
        _compare(wanted, wanted.tile.cut(made.read(wanted.tile.name)))


def _compare(wanted: Wanted, got: Array) -> None:
    want, name = wanted.values, wanted.tile.name
    assert got.dtype == want.dtype, name
    assert got.size == want.size, (name, got.shape, want.shape)
    with np.errstate(all="ignore"):
        have, wish = (a.reshape(-1).astype(np.float64) for a in (got, want))
    if wanted.rtol or wanted.atol:
        np.testing.assert_allclose(have, wish, wanted.rtol, wanted.atol, err_msg=name)
        return
    np.testing.assert_array_equal(have, wish, err_msg=name)
    numbers = ~np.isnan(wish)
    signs = np.signbit(have[numbers]), np.signbit(wish[numbers])
    np.testing.assert_array_equal(*signs, err_msg=f"{name}: sign of zero")
