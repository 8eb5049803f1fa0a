"""Values as a client shows them: tensors in slices, read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nasm.apps.dap.state import ShownVariable
from nasm.base.problems import clean
from nasm.show.arrays import elements

if TYPE_CHECKING:
    from nasm.debugger.session import Session
    from nasm.debugger.values.value import Value

MOST = 100
"""Elements or rows that are listed at once; of more there are ranges."""

FEW = 8
"""Elements that are shown in a line."""


def brief(value: Value, bits: bool = False) -> str:
    """A value in a line: a number, or what it is with its first elements."""
    if value.size == 1:
        return elements(value, (0,) * (len(value.shape) - 1), 0, 1, form(bits))[0]
    if not value.size:
        return kind(value)
    first = (0,) * (len(value.shape) - 1)
    some = elements(value, first, 0, min(FEW, value.shape[-1]), form(bits))
    more = ", …" if value.size > len(some) else ""
    return f"{kind(value)} {{{', '.join(some)}{more}}}"


def form(bits: bool) -> str:
    """How elements are written: as bits in hexadecimal, or as numbers."""
    return "x" if bits else ""


def kind(value: Value) -> str:
    """What a value is: its dtype and shape, and where it is."""
    dtype = value.dtype.name if value.dtype else "bool" if value.elements.truth else "float64"
    sizes = f"[{', '.join(map(str, value.shape))}]" if value.shape else ""
    where = f" in {value.view.tensor.memory.name}" if value.view is not None else ""
    return f"{dtype}{sizes}{where}"


def item(
    session: Session, name: str, value: Value, *, place: str = "", text: str = ""
) -> ShownVariable:
    """A value with what is in it: its statistics, and its elements in slices."""
    if value.size == 1 and not value.shape:
        return ShownVariable(name, brief(value), kind(value), text, place)
    base = text or (value.text if place else f"({value.text})")

    def inside(bits: bool) -> Sequence[ShownVariable]:
        return [_statistics(session, value), *_slices(value, base, bool(place), (), bits)]

    return ShownVariable(name, brief(value), kind(value), base, place, inside)


def _statistics(session: Session, value: Value) -> ShownVariable:
    """Least, greatest and mean, computed when it is opened: a large tensor takes a while."""

    def inside(_: bool) -> Sequence[ShownVariable]:
        found = session.expressions.statistics(value)
        rows = [("elements", f"{found.size:,}"), ("initialised", f"{found.known:,}")]
        if found.least is not None and found.mean is not None:
            rows += [("least", f"{found.least:.6g}"), ("greatest", f"{found.most:.6g}")]
            rows.append(("mean", f"{found.mean:.6g}"))
        rows += [("NaN", f"{found.nan:,}")] if found.nan else []
        rows += [("infinite", f"{found.infinite:,}")] if found.infinite else []
        return [ShownVariable(name, text) for name, text in rows]

    return ShownVariable("statistics", f"{value.size:,} elements", inside=inside)


def _slices(
    value: Value, base: str, settable: bool, index: tuple[int, ...], bits: bool,
    start: int = 0, stop: int | None = None,
) -> Sequence[ShownVariable]:  # fmt: skip
    """What is along the next axis: elements, slices, or ranges of them."""
    axis = len(index)
    stop = value.shape[axis] if stop is None else stop
    span = MOST
    while stop - start > span * MOST:
        span *= MOST
    if stop - start <= MOST:
        span = 1
    if span > 1:
        return [
            _range(value, base, settable, index, n, min(stop, n + span))
            for n in range(start, stop, span)
        ]
    if axis == len(value.shape) - 1:
        texts = elements(value, index, start, stop - start, form(bits))
        return [
            ShownVariable(
                f"[{n}]", text, "", where := _place(base, (*index, n)), where if settable else ""
            )
            for n, text in enumerate(texts, start)
        ]
    return [_slice(value, base, settable, (*index, n), bits) for n in range(start, stop)]


def _range(
    value: Value, base: str, settable: bool, index: tuple[int, ...], start: int, stop: int
) -> ShownVariable:
    def inside(bits: bool) -> Sequence[ShownVariable]:
        return _slices(value, base, settable, index, bits, start, stop)

    where, count = _place(base, index, f"{start}:{stop}"), value.shape[len(index)]
    text, place = f"{stop - start:,} of {count:,}", where if settable else ""
    return ShownVariable(f"[{start}:{stop}]", text, "", where, place, inside)


def _slice(
    value: Value, base: str, settable: bool, index: tuple[int, ...], bits: bool
) -> ShownVariable:
    rest = value.shape[len(index) :]
    text = ""
    if len(rest) == 1 and rest[0]:
        some = elements(value, index, 0, min(FEW, rest[0]), form(bits))
        text = f"{', '.join(some)}{', …' if rest[0] > len(some) else ''}"

    def inside(bits: bool) -> Sequence[ShownVariable]:
        return _slices(value, base, settable, index, bits)

    where = _place(base, index)
    shape = f"[{', '.join(map(str, rest))}]"
    return ShownVariable(
        f"[{index[-1]}]", text or shape, shape, where, where if settable else "", inside
    )


def _place(base: str, index: tuple[int, ...], last: str = "") -> str:
    parts = [*map(str, index), *([last] if last else [])]
    return f"{base}[{', '.join(parts)}]"


Inside = Callable[[bool], Sequence[ShownVariable]]


def counted_items(rows: Sequence[tuple[str, object]]) -> Inside:
    """Names with values that have nothing in them."""

    def inside(_: bool) -> Sequence[ShownVariable]:
        return [ShownVariable(name, clean(str(value))) for name, value in rows]

    return inside
