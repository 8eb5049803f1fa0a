"""Where fields of a configuration are: the notation of its words, and what is looked at often.

Two spaces have words of their own: each thread's words of 16 bits, and words of 32 bits, of which
those below the first shared one exist twice, once for each bank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

Kind = Literal["thread", "config"]


class ConfigField(NamedTuple):
    """Where a field is: ``width`` bits from bit ``shift`` of a word up."""

    kind: Kind
    word: int
    shift: int
    width: int

    @property
    def mask(self) -> int:
        """The field's bits, at bit 0."""
        return (1 << self.width) - 1


class ConfigWord(NamedTuple):
    """A word: the number, what its fields begin with, and the fields from bit 0 up.

    A field is NAME:WIDTH; one that begins with a dot has its whole name after the dot. ``-:WIDTH``
    is a gap.
    """

    number: int
    prefix: str
    fields: str


def sections(
    first: int, count: int, prefix: str, fields: str, step: int = 1
) -> Iterator[ConfigWord]:
    """A word for each section; {} in the prefix is its number."""
    for i in range(count):
        yield ConfigWord(first + i * step, prefix.format(i), fields)


def _located(kind: Kind, words: tuple[ConfigWord, ...]) -> Iterator[tuple[str, ConfigField]]:
    for word in words:
        shift = 0
        for part in word.fields.split():
            name, width = part.split(":")
            if name != "-":
                full = name[1:] if name.startswith(".") else word.prefix + name
                yield full, ConfigField(kind, word.number, shift, int(width))
            shift += int(width)


def fields_by_name(
    thread: tuple[ConfigWord, ...], config: tuple[ConfigWord, ...]
) -> Mapping[str, ConfigField]:
    """Every field of some words, of threads and of banks."""
    return MappingProxyType(dict([*_located("thread", thread), *_located("config", config)]))


class AddrModWords(NamedTuple):
    """Words of a thread's configuration: the first of each kind of address modifiers.

    ``base`` has the bit that makes modifiers 0 to 3 mean 4 to 7, or is -1: there is none, and
    instructions name all of them. Those of SrcA and SrcB are
    ``ab_step`` words apart, others are next to each other. ``more`` has a seventh bit of what is
    added to SrcA and SrcB, or is -1.
    """

    base: int
    ab: int
    ab_step: int
    dst: int
    bias: int
    pack: int
    more: int


class DstFields(NamedTuple):
    """Fields by which the vector unit finds numbers in Dst, and what format they have.

    On Blackhole a thread may give it a format of its own, there is a base of a stack of rows, and
    rows may be in another order.
    """

    state: ConfigField
    offset: ConfigField
    base: ConfigField
    wide: ConfigField
    override: ConfigField
    overridden: ConfigField
    form: ConfigField
    own_enabled: ConfigField | None
    own_form: ConfigField | None
    stack: ConfigField | None
    ordered: bool


class ConfigLayout:
    """Where everything is in the configuration of a generation.

    ``fields`` are all of them by name. A thread has ``thread_words`` words of its own, a bank
    ``words``; those from ``shared`` on exist once. The scalar unit writes those from ``scalar`` up
    to there. For cores, words of threads are ``thread_step`` words apart, and after the banks come
    addresses of ``both_banks``, where there are such. The rest is where what executes looks again
    and again, by what it is for.
    """

    def __init__(
        self,
        fields: Mapping[str, ConfigField],
        *,
        thread_words: int,
        words: int,
        scalar: int,
        shared: int,
        thread_step: int,
        both_banks: bool,
    ) -> None:
        self.fields = fields
        self.thread_words, self.words = thread_words, words
        self.scalar, self.shared = scalar, shared
        self.thread_step, self.both_banks = thread_step, both_banks
        self.reset = fields["STATE_RESET_EN"].word
        self.seed = fields["PRNG_SEED_Seed_Val"].word
        self.context_resets = (
            fields["UNPACK_MISC_CFG_CfgContextCntReset_0"],
            fields["UNPACK_MISC_CFG_CfgContextCntReset_1"],
        )
        first = fields["ADDR_MOD_AB_SEC0_SrcAIncr"].word
        further = fields.get("ADDR_MOD_AB2_SEC0_SrcAIncr")
        self.addr_mods = AddrModWords(
            fields["ADDR_MOD_SET_Base"].word if "ADDR_MOD_SET_Base" in fields else -1,
            first,
            fields["ADDR_MOD_AB_SEC1_SrcAIncr"].word - first,
            fields["ADDR_MOD_DST_SEC0_DestIncr"].word,
            fields["ADDR_MOD_BIAS_SEC0_BiasIncr"].word,
            fields["ADDR_MOD_PACK_SEC0_YsrcIncr"].word,
            -1 if further is None else further.word,
        )
        self.dst = DstFields(
            fields["CFG_STATE_ID_StateID"],
            fields["DEST_TARGET_REG_CFG_MATH_Offset"],
            fields["DEST_REGW_BASE_Base"],
            fields["ALU_ACC_CTRL_SFPU_Fp32_enabled"],
            fields["ALU_FORMAT_SPEC_REG_SrcB_override"],
            fields["ALU_FORMAT_SPEC_REG_SrcB_val"],
            fields["ALU_FORMAT_SPEC_REG1_SrcB"],
            fields.get("SFPU_DEST_FMT_Enable"),
            fields.get("SFPU_DEST_FMT_Base"),
            fields.get("DEST_SP_BASE_Base"),
            "DEST_ACCESS_CFG_remap_addrs" in fields,
        )
