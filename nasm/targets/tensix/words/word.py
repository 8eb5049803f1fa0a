"""A row of the table of words, and the notation of its fields.

``dst[9:0]`` is a field of bits 9 to 0, ``FlipSrcA[22]`` a single bit, ``±Imm12[23:12]`` one with a
sign; ``0xF[11:8]`` are bits that have to be so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cached_property, lru_cache

from nasm.base.records import dataclass, field, replace
from nasm.isa.field_kinds import Encoding, Field, WordForm
from nasm.isa.field_values import FieldValues
from nasm.targets.tensix.words.meanings import MEANINGS
from nasm.targets.tensix.words.shared_values import BY_FIELD
from nasm.targets.tensix.words.units import TensixUnit

OPCODE = Field("opcode", 24, 8)

Fields = Mapping[str, int]
"""The fields of a word by all of their names: official arguments and those of the documentation."""

_FIELD = re.compile(r"(±?)(\w+)\[(\d+)(?::(\d+))?\]")


class Described(Enum):
    """Where the behaviour of an instruction is documented."""

    DOCS = "Tenstorrent ISA documentation, {chip}, {page}; names of operands: tt-llk"
    SHARED = (
        "Tenstorrent ISA documentation, Wormhole B0, {page}, and the public simulator of {chip}, "
        "which has it the same; names of operands: tt-llk"
    )
    TREE = (
        "Tenstorrent ISA documentation, Wormhole B0, {page}, to whose pages those of {chip} refer; "
        "names of operands: tt-llk"
    )
    YAML = "tt-llk, {chip}, assembly.yaml; there is no page on {page}"
    NAME = "tt-llk, {chip}, assembly.yaml: {page} by name only"


@dataclass(frozen=True)
class Word:
    """An opcode: the mnemonic, the unit, what it does in a sentence, and its fields.

    ``operands`` are the arguments of the official macros in their order, each as wide as the bits
    that documents explain, or else up to the next argument. ``forms`` are the fields of the
    documentation, by form where there are several. ``upto`` has operands that the macros let spill
    into those above them, and how many bits they take. ``unread`` are operands of which the
    hardware reads the bits that the documents name, and no others. ``page`` is what the
    documentation calls its page, where that is another name. ``values`` are the names of values by
    field or operand, None for none where others of the name have some; ``meanings`` what a field is
    for, where that is not as elsewhere. ``chip`` is what documents call the generation.
    """

    opcode: int
    mnemonic: str
    unit: TensixUnit
    summary: str
    operands: str = ""
    forms: str | Mapping[str, str] = ""
    described: Described = Described.DOCS
    page: str = ""
    upto: Mapping[str, int] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    values: Mapping[str, FieldValues | None] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    chip: str = "Wormhole B0"

    @property
    def source(self) -> str:
        """Where it is documented."""
        return self.described.value.format(page=self.page or self.mnemonic, chip=self.chip)

    @property
    def macros(self) -> tuple[str, ...]:
        """The official macros that make it."""
        return tuple(f"{prefix}_{self.mnemonic}" for prefix in ("TT", "TTI", "TT_OP"))

    @cached_property
    def encoding(self) -> Encoding:
        """Its word."""
        named = self.forms if isinstance(self.forms, Mapping) else {"": self.forms}
        forms = tuple(self._explained(_form(name, text)) for name, text in named.items())
        operands = tuple(self._operand(one, forms) for one in fields(self.operands))
        known = 0
        for form in forms:
            known |= form.known
        free = 0
        for one in operands:
            if not one.mask & known or one.name in self.unread:
                free |= one.mask & ~known
        return Encoding(OPCODE, self.opcode, operands, forms, free)

    def fields_of(self, word: int) -> Fields:
        """Every field of a word of it, by name."""
        return self._read(word)

    @cached_property
    def _read(self) -> Callable[[int], Fields]:
        known = tuple(self.encoding.fields())

        @lru_cache(maxsize=1 << 12)
        def read(word: int) -> Fields:
            return {one.name: one.get(word) for one in known}

        return read

    def _explained(self, form: WordForm) -> WordForm:
        """A form whose fields know what they are for."""
        return replace(form, fields=tuple(map(self._meant, form.fields)))

    def _meant(self, one: Field) -> Field:
        values = self.values.get(one.name, BY_FIELD.get(one.name))
        meaning = self.meanings.get(one.name, MEANINGS.get(one.name, ""))
        return replace(one, values=values, meaning=meaning)

    def _operand(self, one: Field, forms: tuple[WordForm, ...]) -> Field:
        """An operand of the macros, which is what a field of the same bits is."""
        own = self._meant(one)
        same = next((f for form in forms for f in form.fields if f.mask == one.mask), own)
        return replace(
            own,
            values=own.values if own.values or one.name in self.values else same.values,
            meaning=same.meaning or own.meaning,
            macros=True,
        )

    def moved(self, text: str) -> Word:
        """The word with fields at other bits, in operands and forms, as a text gives them.

        ``old>new[9:0]`` is a field that also has another name. Raises TypeError for a field that
        neither has.
        """
        left = {}
        for part in text.split():
            old, renamed, new = part.partition(">")
            left[_name(part) if not renamed else old] = new if renamed else part
        used: set[str] = set()

        def replaced(written: str) -> str:
            used.update(map(_name, written.split()))
            return " ".join(left.get(_name(part), part) for part in written.split())

        forms = self.forms
        made = (
            replaced(forms)
            if isinstance(forms, str)
            else {name: replaced(one) for name, one in forms.items()}
        )
        moved = replace(self, operands=replaced(self.operands), forms=made)
        if missing := set(left) - used:
            raise TypeError(f"{self.mnemonic} has no field {', '.join(sorted(missing))}")
        return moved

    def default(self, operand: Field) -> int:
        """What an operand is if it is not given: 0, but where bits have to be as they are."""
        forms = self.encoding.forms
        return operand.get(forms[0].value) if len(forms) == 1 else 0


def _name(part: str) -> str:
    """The name of a field as a text gives it."""
    return part.lstrip("±").partition("[")[0]


def fields(text: str) -> tuple[Field, ...]:
    """The fields that a text names, in its order."""
    return tuple(one for one in map(_field, text.split()) if one.name)


def _field(text: str) -> Field:
    """A field; without a name if the text gives bits that have to be so."""
    match = _FIELD.fullmatch(text)
    assert match is not None, f"no field: {text}"
    sign, name, high, low = match.groups()
    first = int(low or high)
    name = "" if name[0].isdigit() else name
    return Field(name, first, int(high) - first + 1, bool(sign))


def _form(name: str, text: str) -> WordForm:
    mask = value = 0
    for part in text.split():
        one = _field(part)
        if not one.name:
            mask |= one.mask
            value |= one.put(int(part.partition("[")[0], 0))
    return WordForm(name, fields(text), mask, value)
