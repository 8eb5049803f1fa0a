"""The points of a sweep: every choice of a value for each name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from nasm.base.problems import Failure, Problem, counted
from nasm.sweeps.job import Parameter, Point

MOST = 10_000_000
"""Points of a grid: more are a mistake."""

WRONG = "E0846"


class ParameterGrid:
    """Values by name, in order: the last name changes fastest. Raises Failure for an empty list."""

    def __init__(self, values: Mapping[str, Iterable[Parameter]]) -> None:
        self.values: dict[str, Sequence[Parameter]] = {
            name: _unique(name, given) for name, given in values.items()
        }
        if len(self) > MOST:
            hint = f"at most {MOST:,}: give fewer values"
            raise Failure(Problem(WRONG, f"the grid has {len(self):,} points", None, hint))

    def __len__(self) -> int:
        return math.prod(map(len, self.values.values()))

    def __iter__(self) -> Iterator[Point]:
        for chosen in product(*self.values.values()):
            yield dict(zip(self.values, chosen, strict=True))

    @property
    def varied(self) -> tuple[str, ...]:
        """The names that have several values."""
        return tuple(name for name, given in self.values.items() if len(given) > 1)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {len(given)}" for name, given in self.values.items())
        return f"<grid of {counted(len(self), 'point')}: {sizes}>"


def _unique(name: str, given: Iterable[Parameter]) -> Sequence[Parameter]:
    single = isinstance(given, str | int | float)
    found: dict[str, Parameter] = {}
    for value in [given] if single else given:
        plain = value.item() if hasattr(value, "item") else value
        if not isinstance(plain, int | float | str | list | tuple):
            what = type(plain).__name__
            raise TypeError(
                f"{name}: a value of a sweep is a number, a string or a list, not {what}"
            )
        found.setdefault(repr(plain), plain)
    if not found:
        raise Failure(Problem(WRONG, f"there is no value for {name}", None, f"such as {name}=[1]"))
    return tuple(found.values())
