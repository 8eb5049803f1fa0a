"""Random cases of an instruction, on random machines, tiles and access patterns.

A test written with :func:`random_cases` describes one case: it draws tiles and settings, adds
lines, and says what must be in a tile afterwards, which a scalar model has worked out. Many cases
go into one program, so that a few hundred of them take a second or two::

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
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from nasm import dtypes
from nasm.records import Status
from tests.neuron import programs
from tests.neuron.programs import GENERATIONS, Array

FLOATS = ("float32", "bfloat16", "float16", "float8_e4m3", "float8_e5m2")
INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32")
CASES, TOGETHER = 200, 10
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


@dataclass(slots=True)
class _Bench:
    """The program that the cases of one example share."""

    tensors: dict[str, programs.Tile] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    wanted: list[tuple[str, Tile, Any, float, float, str]] = field(default_factory=list)
    messages: list[Callable[[str], None]] = field(default_factory=list)


class Draw:
    """One case being made. ``on`` is the machine, ``random`` where choices come from.

    ``edges`` is the chance that wild contents are mostly values from the edges of their dtype.
    """

    def __init__(
        self, on: str, random: np.random.Generator, bench: _Bench, edges: float = 0.0
    ) -> None:
        self.on, self.random, self.edges, self._bench = on, random, edges, bench
        self._said: list[str] = []

    # -- choices

    def one_of(self, *options: Any) -> Any:
        """One of some options, each as likely."""
        return options[int(self.random.integers(len(options)))]

    def number(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return int(self.random.integers(low, high + 1))

    def flag(self, chance: float = 0.5) -> bool:
        """True with this chance."""
        return bool(self.random.random() < chance)

    def partitions(self, most: int = 128) -> int:
        """A number of partitions; small ones and the limits are likely."""
        return min(most, self.one_of(1, 2, 3, 8, 31, 32, 33, 64, 65, 128, self.number(1, 128)))

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
            return self._edged(dtype, shape)
        kind = self.one_of("small", "small", "large", "bits") if wild else "small"
        if kind == "bits":
            width = found.numpy.itemsize
            raw = self.random.integers(0, 256, (*shape, width), np.uint8)
            return raw.view(found.numpy).reshape(tuple(shape))
        if found.is_int:
            info = np.iinfo(found.numpy)
            low, high = (info.min, info.max) if kind == "large" else (max(info.min, -8), 9)
            return self.random.integers(low, high, shape, np.int64).astype(found.numpy)
        scale = 10.0 ** self.number(-3, 5) if kind == "large" else 2.0
        with np.errstate(all="ignore"):
            return (self.random.standard_normal(shape) * scale).astype(found.numpy)

    def _edged(self, dtype: str, shape: Sequence[int]) -> Array:
        """Zeros of both signs, infinities, NaN, subnormals and the largest values, among others."""
        found = dtypes.find(dtype)
        assert found is not None
        if found.is_int:
            info = np.iinfo(found.numpy)
            some = [info.min, info.min + 1, -1, 0, 1, 2, 127, 2**24, 2**24 + 1, info.max]
            edges = np.array([v for v in some if info.min <= v <= info.max], found.numpy)
        else:
            top = 2 ** (8 * found.itemsize - 1)
            raw = self.random.integers(0, 2 * top, 6, np.uint64)
            some = [0, top, 1, top + 1, 2, *raw.tolist()]
            bits = np.array(some, np.uint64).astype(found.bits_dtype).view(found.numpy)
            with np.errstate(all="ignore"):
                rest = np.array([np.inf, -np.inf, np.nan, 1, -1, 0.5, found.max_finite])
                edges = np.concatenate([bits, rest.astype(found.numpy)])
        return edges[self.random.integers(0, len(edges), tuple(shape))]

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
            old = self._bench.tensors[made.name]
            self._bench.tensors[made.name] = programs.Tile(old.memory, old.dtype, old.shape)
        return made

    def column(self, partitions: int, dtype: str = "float32", wild: bool = True) -> Tile:
        """A [P, 1] tile: one value per partition."""
        return self._seen((partitions, 1), dtype, "sbuf", None, wild, True, True)

    # -- the program

    def line(self, text: str) -> None:
        """Add an instruction, with its ``@engine``."""
        self._said.append(text)
        self._bench.lines.append(text)

    def fresh(self, name: str) -> str:
        """A name nothing else has."""
        return f"{name}{len(self._bench.tensors)}_{len(self._bench.lines)}"

    def declare(self, text: str) -> None:
        """Add a line in front of every instruction: a directive."""
        self._bench.lines.insert(0, text)

    def expect(self, tile: Tile, want: Any, rtol: float = 0.0, atol: float = 0.0) -> None:
        """What a tile must hold after the run: equal bit for bit but for NaN, or close."""
        said = "; ".join(self._said)
        self._bench.wanted.append((tile.name, tile, np.asarray(want), rtol, atol, said))

    def message(self, check: Callable[[str], None]) -> None:
        """Look at the text of the next message of the run."""
        self._bench.messages.append(check)

    # -- how tiles are made

    def _name(self) -> str:
        return f"t{len(self._bench.tensors)}"

    def _declared(self, memory: str, dtype: str, values: Array) -> str:
        name = self._name()
        self._bench.tensors[name] = programs.Tile(memory, dtype, values.shape, values)
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
    on: Sequence[str] = GENERATIONS,
    cases: int = CASES,
    together: int = TOGETHER,
    edges: float = 0.0,
) -> Callable[[Callable[[Draw], None]], Callable[[], None]]:
    """Make a test of a function that draws one case: so many cases, some to a program.

    ``edges`` is the chance that a tile holds zeros, infinities, NaN, subnormals and extremes.
    """

    def make(case: Callable[[Draw], None]) -> Callable[[], None]:
        @settings(
            max_examples=-(-cases // together),
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],  # a smaller seed is no simpler case
        )
        @given(st.sampled_from(tuple(on)), st.integers(0, 2**32 - 1), st.just(together))
        def test(machine: str, seed: int, count: int) -> None:
            bench = _Bench()
            random = np.random.default_rng(seed)
            for _ in range(count):
                case(Draw(machine, random, bench, edges))
            _check(machine, bench)

        test.__name__ = test.__qualname__ = case.__name__
        test.__doc__ = case.__doc__
        test.__module__ = case.__module__
        return test

    return make


def _check(on: str, bench: _Bench) -> None:
    """Run the program of some cases and look at every tile they speak of."""
    made = programs.session("\n".join(bench.lines), on, **bench.tensors)
    report = made.run()
    assert (report.problems, report.hazards) == ((), ()), bench.lines
    assert report.status is Status.FINISHED
    for check, message in zip(bench.messages, made.messages, strict=True):
        check(message.text)
    for name, tile, want, rtol, atol, said in bench.wanted:
        got = tile.cut(made.read(name))
        assert got.dtype == want.dtype, (said, got.dtype, want.dtype)
        assert got.size == want.size, (said, got.shape, want.shape)
        with np.errstate(all="ignore"):
            have, wish = (a.reshape(-1).astype(np.float64) for a in (got, want))
        note = f"{on}: {said}"
        if rtol or atol:
            np.testing.assert_allclose(have, wish, rtol, atol, err_msg=note)
            continue
        np.testing.assert_array_equal(have, wish, err_msg=note)
        numbers = ~np.isnan(wish)
        np.testing.assert_array_equal(
            np.signbit(have[numbers]), np.signbit(wish[numbers]), err_msg=f"{note}: sign of zero"
        )
