"""The value of an expression at a moment: its elements, and which of them are not known."""

from __future__ import annotations

import numpy as np

from nasm.base.drawing import Drawn
from nasm.base.dtypes import Array, DType, ElementKind
from nasm.base.pieces import Window
from nasm.base.records import dataclass
from nasm.language.expectations.elements import Elements, Plain, Stored
from nasm.views.view import View


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Value(Drawn):
    """What an expression is at a moment; it is read before the machine runs on.

    ``dtype`` is None if it was computed, in float64 or as bool. ``missing`` marks the elements that
    depend on bytes that nothing wrote; None if none does. ``view`` is the part of a tensor that it
    is, if the language has a name for that.
    """

    text: str
    elements: Elements
    dtype: DType | None = None
    missing: Array | None = None
    view: View | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its axes."""
        return self.elements.shape

    @property
    def size(self) -> int:
        """How many elements it has."""
        return self.elements.size

    @property
    def numeric(self) -> bool:
        """Whether its elements are numbers: four of them in one are none."""
        return self.dtype is None or self.dtype.kind is not ElementKind.PACKED

    def stored(self, window: Window) -> Array:
        """A part of it as it is stored; as float64 or bool if it was computed."""
        if isinstance(self.elements, Stored):
            return self.elements.held[window]
        with np.errstate(all="ignore"):
            return self.elements.part(window)

    def numbers(self, window: Window) -> Array:
        """A part of it in float64, or as bool; of packed elements their bits as numbers."""
        if not self.numeric:
            return self.stored(window).astype(float)
        with np.errstate(all="ignore"):
            return self.elements.part(window)

    def known(self, window: Window) -> Array:
        """Which elements of a part of it are known."""
        if self.missing is None:
            return np.broadcast_to(np.True_, self.elements.shape)[window]
        return np.asarray(~self.missing[window])

    @property
    def array(self) -> Array:
        """All of it, an array of its own: in its dtype, or as float64 or bool if computed."""
        if isinstance(self.elements, Stored):
            return self.elements.held.copy()
        with np.errstate(all="ignore"):
            return self.elements.array.copy()

    @property
    def holds(self) -> bool:
        """Whether it is known to be true, or not zero, everywhere."""
        if self.missing is not None and self.missing.any():
            return False
        with np.errstate(all="ignore"):
            return bool(self.elements.array.all())

    @property
    def number(self) -> float | None:
        """A single element as a number; None if it is not known. Raises ValueError for several."""
        if self.size != 1:
            raise ValueError(f"'{self.text}' has {self.size:,} elements")
        every = (slice(None),) * len(self.shape)
        if not self.known(every).all():
            return None
        return float(np.asarray(self.numbers(every)).reshape(-1)[0])

    def __repr__(self) -> str:
        what = self.dtype.name if self.dtype else "bool" if self.elements.truth else "float64"
        sizes = ", ".join(map(str, self.shape))
        text = f"{what}[{sizes}]"
        if self.size == 1 and self.numeric:
            number = self.number
            text += " unknown" if number is None else f" {number:g}"
        return f"<value of {self.text}: {text}>"


def first(value: Value, count: int) -> Value:
    """The first elements of a value, in row-major order."""
    shape = value.shape or (1,)
    rows = -(-count // shape[-1])
    elements: list[Array] = []
    missing: list[Array] = []
    for row in range(rows):
        at = (int(n) for n in np.unravel_index(row, shape[:-1]))
        window = (*(slice(n, n + 1) for n in at), slice(0, shape[-1])) if value.shape else ()
        elements.append(value.stored(window).reshape(-1))
        missing.append(~value.known(window).reshape(-1))
    held = np.concatenate(elements)[:count]
    made = Stored(held, value.dtype, computes=False) if value.dtype else Plain(held)
    return Value(value.text, made, value.dtype, np.concatenate(missing)[:count])
