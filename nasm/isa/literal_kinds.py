"""Kinds of operand that are written out in place: texts and patterns of numbers."""

from __future__ import annotations

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.kinds import WRONG_KIND, Kind
from nasm.views.value_text import Symbol, value_text

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def literal(value: object) -> str:
    """A number, a flag, a string or a list of such, as a program writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(_ESCAPES.get(c, c) for c in value) + '"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    return repr(value)


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """A string."""

    def accept(self, value: object) -> object:
        if isinstance(value, Symbol) or not isinstance(value, str):
            raise Refused(WRONG_KIND, f"wanted a string, found {value_text(value)}")
        return value

    def format(self, value: object) -> str:
        return literal(str(value))

    @property
    def placeholder(self) -> str:
        return '"…"'

    def describe(self) -> str:
        return 'a string, "…"'

    @property
    def names(self) -> str:
        return "text"


@dataclass(frozen=True, slots=True)
class Pattern(Kind):
    """Some pairs ``[step, count]``, slowest first, as an access pattern has them.

    At most ``dims`` of them, with steps from ``low`` to ``high`` and counts from 1 to ``most``.
    """

    dims: int
    low: int
    high: int
    most: int

    def accept(self, value: object) -> object:
        pairs = value if isinstance(value, list | tuple) else ()
        made = tuple(_pair(p) for p in pairs)
        if not made or None in made:
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        if len(made) > self.dims:
            raise Refused(WRONG_KIND, f"{len(made)} pairs; wanted at most {self.dims}")
        for step, count in (p for p in made if p is not None):
            if not self.low <= step <= self.high:
                raise Refused(WRONG_KIND, f"a step of {step}; wanted {self.low} to {self.high}")
            if not 1 <= count <= self.most:
                raise Refused(WRONG_KIND, f"a count of {count}; wanted 1 to {self.most}")
        return made

    def format(self, value: object) -> str:
        assert isinstance(value, tuple)
        return "[" + ", ".join(f"[{step}, {count}]" for step, count in value) + "]"

    @property
    def placeholder(self) -> str:
        return "[[step, count], …]"

    def describe(self) -> str:
        return f"up to {self.dims} pairs [[step, count], …], slowest first"


def _pair(value: object) -> tuple[int, int] | None:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    step, count = value
    return (step, count) if type(step) is int and type(count) is int else None
