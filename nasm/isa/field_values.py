"""Names for the values of a field of a word: one of several, or bits that are combined.

A value may have a name of the documentation and one of the vendor's macros; a program may write
either, and what is printed has the family in which the field itself is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from nasm.base.problems import Refused, did_you_mean, quoted
from nasm.base.records import dataclass

AND = "|"
"""What combines names of bits."""

_WORD = re.compile(r"\w+")
_SHOWN = 4
"""So many names are listed where a value is refused."""


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A value: its names, and what it means.

    ``name`` is the documentation's without what all of the field begin with; ``macros`` are those
    of the vendor's macros, the first of which is printed.
    """

    number: int
    name: str
    macros: tuple[str, ...]
    meaning: str

    def names(self, values: FieldValues, macros: bool) -> tuple[str, ...]:
        """Its names in the macros, or else in the documentation."""
        if macros:
            return self.macros
        full = (values.prefix + self.name,) if values.prefix else ()
        return (self.name, *full) if self.name else ()


@dataclass(frozen=True)
class FieldValues:
    """The values of a field that have names.

    ``prefix`` is what the documentation's names begin with; ``combined`` that values are bits,
    some of which may be set. ``scope`` declares the macros' names in the vendor's language.
    """

    entries: tuple[FieldValue, ...]
    prefix: str = ""
    combined: bool = False
    scope: str = ""

    def __post_init__(self) -> None:
        for macros in (False, True):
            own = [(name, one.number) for one in self.entries for name in one.names(self, macros)]
            if len({name for name, _ in own}) < len(set(own)):
                raise TypeError(f"one name for two values: {own}")

    @cached_property
    def _by_family(self) -> tuple[dict[str, FieldValue], dict[str, FieldValue]]:
        """Every name with its value: as in the documentation, and as in the macros.

        Where both have a name for different values, it is that of the family.
        """
        documented, macros = (
            {name: one for one in reversed(self.entries) for name in one.names(self, of_macros)}
            for of_macros in (False, True)
        )
        return macros | documented, documented | macros

    def names(self, macros: bool) -> Mapping[str, FieldValue]:
        """Every name with its value."""
        return self._by_family[macros]

    def number(self, text: str, macros: bool) -> int:
        """The value of a name, or of several with ``|`` between; raises Refused."""
        value = 0
        for name in map(str.strip, text.split(AND)):
            if name not in self.names(False):
                message = f"no value of it is called '{quoted(name)}'"
                raise Refused("E0301", message, self._hint(name))
            value |= self.names(macros)[name].number
        return value

    def _hint(self, name: str) -> str:
        return did_you_mean(name, self.names(False)) or f"its names: {self.listed()}"

    def listed(self) -> str:
        """Some of the names, in words."""
        names = list(dict.fromkeys(self._printed(one, not one.name) for one in self.entries))
        names = [name for name in names if name]
        more = len(names) - _SHOWN
        text = ", ".join(names[:_SHOWN])
        return f"{text} and {more} more" if more > 0 else text

    def text(self, number: int, macros: bool) -> str:
        """A value by its names, of the macros or else of the documentation; empty without any."""
        return self._composed(number, lambda one: self._printed(one, macros))

    def scoped(self, number: int) -> str:
        """A value by the macros' names, as the vendor's language has them; empty without any."""
        within = f"{self.scope}::" if self.scope else ""
        text = self._composed(number, lambda one: one.macros[0] if one.macros else "")
        return f" {AND} ".join(within + name for name in text.split(AND)) if text else ""

    def written(self, number: int, text: str, macros: bool) -> str:
        """A value by the names that a text has for it; empty if it has none, or not enough."""
        known = self.names(macros)
        found = [name for name in _WORD.findall(text) if name in known]
        return self._composed(
            number, lambda one: next((n for n in found if known[n].number == one.number), "")
        )

    def _printed(self, one: FieldValue, macros: bool) -> str:
        if not macros:
            return one.name
        return one.macros[0] if one.macros else self.prefix + one.name if one.name else ""

    def _composed(self, number: int, name: Callable[[FieldValue], str]) -> str:
        exact = next((n for one in self.entries if one.number == number and (n := name(one))), "")
        if exact or not self.combined or not number:
            return exact
        parts, left = [], number
        for one in sorted(self.entries, key=lambda one: -one.number.bit_count()):
            if one.number and one.number & left == one.number and (text := name(one)):
                parts.append((one.number, text))
                left &= ~one.number
        return "" if left else AND.join(text for _, text in sorted(parts))


def one_of(prefix: str, text: str, combined: bool = False, *, scope: str = "") -> FieldValues:
    """Values from lines ``number name macro meaning``; ``-`` is no name, ``a/b`` are two macros."""
    return FieldValues(tuple(map(_value, _lines(text))), prefix, combined, scope)


def bits_of_mask(prefix: str, text: str, *, scope: str = "") -> FieldValues:
    """The same of bits, which may be combined; numbers are values, not numbers of bits."""
    return one_of(prefix, text, combined=True, scope=scope)


def _lines(text: str) -> Iterable[str]:
    return filter(None, map(str.strip, text.splitlines()))


def _value(line: str) -> FieldValue:
    number, name, macro, meaning = line.split(None, 3)
    macros = () if macro == "-" else tuple(macro.split("/"))
    return FieldValue(int(number, 0), "" if name == "-" else name, macros, meaning)
