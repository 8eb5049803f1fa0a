"""The word of an instruction as a bar of bits, with what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import ascii_letters

from nasm.base.records import dataclass
from nasm.isa.field_kinds import Encoding, Field, WordForm

_RULED = 8
"""Bits from one number of the ruler to the next."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One way to read a word: its name, a ruler, the bits, and what the letters among them mean."""

    name: str
    ruler: str
    bits: str
    letters: tuple[tuple[str, str], ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it as text."""
        key = tuple(f"{letter} {name}" for letter, name in self.letters)
        return (self.ruler, self.bits, *_rows(key, len(self.bits)))


def bars(encoding: Encoding) -> Iterator[Bar]:
    """The bars of a word: as it is written, and in each form of the documentation."""
    written = WordForm("operands", encoding.operands)
    yield _bar(encoding, written)
    for form in encoding.forms:
        name = f"documentation, {form.name}" if form.name else "documentation"
        yield _bar(encoding, WordForm(name, form.fields, form.mask, form.value))


def _bar(encoding: Encoding, form: WordForm) -> Bar:
    letters = iter(ascii_letters)
    named: list[tuple[str, str]] = []
    cells: list[str] = []
    top = encoding.opcode.high
    bit = top
    for one in _in_word(encoding.opcode, form):
        cells += _free(bit, one.high)
        width = 2 * one.width - 1
        text = one.name
        if len(text) > width:
            letter = next(letters)
            named.append((letter, f"{text} ({one.where})"))
            text = letter
        if one is encoding.opcode:
            text = f"{encoding.code:#04x}"
        cells.append(text.center(width))
        bit = one.low - 1
    cells += _free(bit, -1)
    return Bar(form.name, _ruler(top), f"|{'|'.join(cells)}|", tuple(named))


def _in_word(opcode: Field, form: WordForm) -> list[Field]:
    """The fields from the left, those that overlap an earlier one left out; and fixed bits."""
    fixed = [
        Field(str(form.value >> bit & 1), bit, 1)
        for bit in range(opcode.low)
        if form.mask >> bit & 1
    ]
    found: list[Field] = []
    taken = 0
    for one in sorted((opcode, *form.fields, *fixed), key=lambda f: -f.high):
        if not one.mask & taken:
            found.append(one)
            taken |= one.mask
    return found


def _free(bit: int, until: int) -> list[str]:
    """Bits that mean nothing, down to one that does."""
    return [" ".join("." * (bit - until))] if bit > until else []


def _ruler(top: int) -> str:
    """The numbers of the first and the last bit of each byte, above their places."""
    line = [" "] * (2 * (top + 1) + 1)
    for first in range(top, -1, -_RULED):
        at = 1 + 2 * (top - first)
        line[at : at + len(str(first))] = str(first)
        last = str(first - _RULED + 1)
        end = 2 * (top - first + _RULED)
        line[end - len(last) : end] = last
    return "".join(line).rstrip()


def _rows(items: Iterable[str], width: int) -> Iterator[str]:
    """Items side by side, in lines of a width."""
    line = ""
    for item in items:
        more = f"{line}  {item}" if line else item
        if len(more) > width and line:
            yield line
            more = item
        line = more
    if line:
        yield line
