"""Operands that are bits of an instruction word: fields, the ways a word is read, encodings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from nasm.base.problems import Refused
from nasm.base.records import dataclass, field
from nasm.isa.field_values import FieldValues
from nasm.isa.kinds import WRONG_KIND, Kind
from nasm.views.value_text import value_text

HEX = 10
"""Bits from which on a field is written in hexadecimal."""

WHOLE = 32
"""Bits of a field that is a whole word, which is written with all its digits."""


@dataclass(frozen=True, slots=True)
class Field:
    """Bits of a word under a name: ``width`` of them, from bit ``low`` on; perhaps with a sign.

    ``values`` are those that have names; one of the vendor's ``macros`` is printed with theirs.
    ``meaning`` says what it is for.
    """

    name: str
    low: int
    width: int
    signed: bool = False
    values: FieldValues | None = field(default=None, compare=False)
    macros: bool = field(default=False, compare=False)
    meaning: str = field(default="", compare=False)

    @property
    def high(self) -> int:
        """Its last bit."""
        return self.low + self.width - 1

    @property
    def mask(self) -> int:
        """Its bits in the word."""
        return ((1 << self.width) - 1) << self.low

    @property
    def where(self) -> str:
        """``bit 3`` or ``bits 9..0``."""
        return bits_of(self.mask)

    def get(self, word: int) -> int:
        """Its value in a word."""
        value = word >> self.low & ((1 << self.width) - 1)
        return value - (1 << self.width) if self.signed and value >> (self.width - 1) else value

    def put(self, value: int) -> int:
        """A word of nothing but this value."""
        return (value << self.low) & self.mask

    def accept(self, value: object) -> int:
        """A value that it can hold; raises Refused. One with a sign may be written as its bits.

        A text is the name of a value, or names of bits.
        """
        if isinstance(value, str) and self.values is not None:
            value = self.values.number(value, self.macros)
        least = -(1 << (self.width - 1)) if self.signed else 0
        if type(value) is not int or not least <= value < 1 << self.width:
            hint = f"write {int(value)}" if isinstance(value, bool) else ""
            message = f"wanted {self._integer}, found {value_text(value)}"
            raise Refused(WRONG_KIND, message, hint)
        return self.get(self.put(value))

    def describe(self) -> str:
        """What it accepts."""
        text = self._integer
        names = "" if self.values is None else self.values.listed()
        return f"{text}, or {names}" if names else text

    @property
    def _integer(self) -> str:
        return f"an integer {self._range} ({self.where})"

    @property
    def _range(self) -> str:
        if not self.signed:
            return f"from 0 to {(1 << self.width) - 1}"
        half = 1 << (self.width - 1)
        return f"from {-half} to {half - 1}, or its bits"

    def format(self, value: int) -> str:
        """A value as a program would write it."""
        named = self.values.text(value, self.macros) if self.values is not None else ""
        return named or self.digits(value)

    def written(self, value: int, text: str) -> str:
        """A value as it was written in a text: by its names, or as a number."""
        named = self.values.written(value, text, self.macros) if self.values is not None else ""
        return named or self.digits(value)

    def digits(self, value: int) -> str:
        """A value as a number."""
        if self.signed or self.width < HEX or (value < HEX and self.width < WHOLE):
            return str(value)
        return f"{value:#010x}" if self.width == WHOLE else f"{value:#x}"


def bits_of(mask: int) -> str:
    """The bits of a mask, in words: ``bit 3``, ``bits 15..10 and 3``."""
    runs: list[str] = []
    high = mask.bit_length()
    while high:
        low = high
        while low and mask >> (low - 1) & 1:
            low -= 1
        runs.append(str(low) if high - low == 1 else f"{high - 1}..{low}")
        high = (mask & ((1 << low) - 1)).bit_length()
    one = mask.bit_count() == 1
    listed = ", ".join(runs[:-1]) + " and " + runs[-1] if len(runs) > 1 else "".join(runs)
    return f"{'bit' if one else 'bits'} {listed}"


@dataclass(frozen=True, slots=True)
class Bits(Kind):
    """An operand that is a field of the word.

    ``upto`` is how many bits may be written: those that are too many for the field go into the
    operands above it, which then are not written.
    """

    field: Field
    upto: int = 0

    def accept(self, value: object) -> object:
        if isinstance(value, str):
            return self.field.accept(value)
        if self.upto:
            return Field(self.field.name, self.field.low, self.upto).accept(value)
        return self.field.accept(value)

    def format(self, value: object) -> str:
        assert isinstance(value, int)
        return self.field.format(value)

    @property
    def placeholder(self) -> str:
        return "integer"

    @property
    def words(self) -> tuple[str, ...]:
        return (
            () if self.field.values is None else tuple(self.field.values.names(self.field.macros))
        )

    @property
    def meanings(self) -> Mapping[str, str]:
        if self.field.values is None:
            return {}
        named = self.field.values.names(self.field.macros)
        return {name: one.meaning for name, one in named.items()}

    @property
    def numeric(self) -> bool:
        return True

    def describe(self) -> str:
        text = self.field.describe()
        if self.upto:
            text += f"; up to {(1 << self.upto) - 1:#x} with the operands above it"
        return text


@dataclass(frozen=True, slots=True)
class WordForm:
    """A way to read the word of an instruction: the fields that it then has.

    It is recognised by the bits in ``mask``, which are as in ``value``.
    """

    name: str
    fields: tuple[Field, ...]
    mask: int = 0
    value: int = 0

    @property
    def known(self) -> int:
        """Bits that mean something, or have to be as they are."""
        return self.mask | _combined_mask(self.fields)

    def has(self, name: str) -> bool:
        """Whether a field of it has this name."""
        return any(one.name == name for one in self.fields)

    def recognized_by(self) -> str:
        """The bits that tell it, as in ``bit 23 is 1``."""
        return _are(self.mask, self.value)


@dataclass(frozen=True)
class Encoding:
    """The word of an instruction.

    ``operands`` are what a program writes, in its order; ``forms`` the ways in which documents
    read it, whose fields are other names for operands, or for parts of them. ``free`` are bits of
    operands of which documents give no more than the name.
    """

    opcode: Field
    code: int
    operands: tuple[Field, ...]
    forms: tuple[WordForm, ...]
    free: int = 0

    @cached_property
    def parts(self) -> Mapping[str, Field]:
        """Every field by its name, those apart that are operands."""
        own = {f.name for f in self.operands}
        return {f.name: f for form in self.forms for f in form.fields if f.name not in own}

    @cached_property
    def known(self) -> int:
        """Bits that mean something in some form."""
        known = self.opcode.mask | self.free
        for form in self.forms:
            known |= form.known
        return known

    def fields(self) -> Iterable[Field]:
        """Every field, operands first."""
        yield from self.operands
        yield from self.parts.values()

    def encode(self, values: Iterable[int]) -> int:
        """The word of operands in their order."""
        word = self.opcode.put(self.code)
        for one, value in zip(self.operands, values, strict=True):
            word |= one.put(value)
        return word

    def decode(self, word: int) -> tuple[int, ...]:
        """The operands of a word."""
        return tuple(one.get(word) for one in self.operands)

    def read_as(self, word: int) -> tuple[WordForm, ...]:
        """The forms that a word may have."""
        return tuple(form for form in self.forms if word & form.mask == form.value)

    def wrong(self, word: int) -> str:
        """Why a word with this opcode is no instruction that is documented; or nothing."""
        forms = self.read_as(word)
        if self.forms and not forms:
            wanted = " or ".join(dict.fromkeys(form.recognized_by() for form in self.forms))
            found = dict.fromkeys(_are(form.mask, word & form.mask) for form in self.forms)
            return f"{' or '.join(found)}, wanted {wanted}"
        known = self.opcode.mask | self.free
        for form in forms:
            known |= form.known
        extra = word & ~known & ((1 << (self.opcode.high + 1)) - 1)
        if not extra:
            return ""
        verb = "is" if extra.bit_count() == 1 else "are"
        return f"{bits_of(extra)} {verb} set, and no document says for what"


def _are(mask: int, value: int) -> str:
    """``bit 23 is 0 and bits 11..8 are 0xf``."""
    text = []
    while mask:
        high = low = mask.bit_length()
        while low and mask >> (low - 1) & 1:
            low -= 1
        run = Field("", low, high - low)
        verb = "is" if run.width == 1 else "are"
        text.append(f"{run.where} {verb} {run.format(run.get(value))}")
        mask &= ~run.mask
    return " and ".join(text)


def _combined_mask(fields: Iterable[Field]) -> int:
    known = 0
    for one in fields:
        known |= one.mask
    return known
