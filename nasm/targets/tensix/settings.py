"""What programs may set of a coprocessor before it runs, by name.

The fields of the configuration are as the public headers name them; those of banked words are set
in both banks. The others are what RISC-V cores would write, or instructions that come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from nasm.isa.settings import Setting, Settings
from nasm.targets.tensix.address_names import address_text
from nasm.targets.tensix.chips import BLACKHOLE, WORMHOLE, Chip
from nasm.targets.tensix.engine_names import LETTERS, QUEUES
from nasm.targets.tensix.front.expanding import ExpanderAction, expander_name
from nasm.targets.tensix.front.mop import WORDS as MOP_WORDS
from nasm.targets.tensix.layouts.layout import ConfigField
from nasm.targets.tensix.layouts.wormhole import DESCRIPTOR
from nasm.targets.tensix.memory_map import SOFT_RESET
from nasm.targets.tensix.riscv.cores import RESET_PCS
from nasm.targets.tensix.scalar import config
from nasm.targets.tensix.setting_meanings import meaning_of, words_of
from nasm.targets.tensix.setting_writes import MASK, OPTIONS, written
from nasm.targets.tensix.state import NO_THREAD, Coprocessor
from nasm.targets.tensix.words.groups import SettingGroup, writer

TEMPLATE, BUFFER = (expander_name(one) for one in (ExpanderAction.TEMPLATE, ExpanderAction.BUFFER))
"""The mnemonics of what expands templates, and of what records and plays."""

WORD: Final = 0xFFFFFFFF

START: Final = "_start"
"""What settings end with that say where a core begins, in place of what its page says."""

RESET: Final = address_text(SOFT_RESET)
"""What the register of soft resets is called."""

_FORMAT_FIELDS: Final = ("_SrcA", "_SrcB", "_Dstacc", "_SrcA_val", "_SrcB_val", "_Dstacc_val")
_COUNTS: Final = {"Flags": 3, "OuterCount": 127, "InnerCount": 127}


def _whole_of(chip: Chip, name: str, at: ConfigField) -> str:
    """The field that contains another one, whose name begins with its name; empty if none does."""
    whole = name.rpartition("_")[0]
    found = chip.layout.fields.get(whole)
    return whole if found is not None and found.word == at.word else ""


def _of_format(name: str) -> bool:
    """Whether a field holds the code of a format."""
    if name.startswith("ALU_FORMAT_SPEC_"):
        return name.endswith(_FORMAT_FIELDS)
    return ("data_format" in name and "Ovrd" not in name) or name.endswith("_InDataFormat")


def _field(chip: Chip, name: str, at: ConfigField) -> Setting:
    whose = "of each thread" if at.kind == "thread" else "in both banks"
    whose = "global" if at.kind == "config" and at.word >= chip.layout.shared else whose
    last = at.shift + at.width - 1
    bits = f"bits {last} to {at.shift}" if at.width > 1 else f"bit {at.shift}"
    page = writer(SettingGroup.DESCRIPTOR) if DESCRIPTOR in name else "backend configuration"
    words = words_of(name, _of_format(name))
    meaning = meaning_of(name)
    return Setting(
        name,
        f"{meaning}{'; ' if meaning else ''}configuration word {at.word}, {bits}, {whose}",
        f"{chip.docs}, {page}",
        at.mask,
        words=words,
        of_queue=at.kind == "thread",
        part_of=_whole_of(chip, name, at),
    )


def _expander(docs: str) -> Iterator[Setting]:
    """The nine words by template, the upper half of the mask, and the replay buffer."""
    for template, words in enumerate(MOP_WORDS):
        for at, word in enumerate(words):
            if word:
                yield Setting(
                    f"{TEMPLATE}{template}_{word}",
                    f"word {at} of the MOP expander, as template {template} uses it",
                    f"{docs}, MOP expander",
                    _COUNTS.get(word, WORD),
                    of_queue=True,
                    instruction=word not in _COUNTS,
                    place=("mop", at),
                )
    summary = f"the upper half of the mask that the next {TEMPLATE} of template 0 uses"
    yield Setting(MASK, summary, f"{docs}, {writer(SettingGroup.MASK)}", 0xFFFF, of_queue=True)
    for at in range(32):
        yield Setting(
            f"{BUFFER}{at}",
            f"instruction {at} of the replay buffer",
            f"{docs}, {BUFFER}",
            WORD,
            of_queue=True,
            instruction=True,
        )


def _others(chip: Chip) -> Iterator[Setting]:
    docs = chip.docs
    for at in range(64):
        summary = f"general register {at} of the thread"
        yield Setting(f"GPR{at}", summary, f"{docs}, scalar unit", WORD, of_queue=True)
    for at in range(8):
        page = f"{docs}, {writer(SettingGroup.SEMAPHORE)}"
        yield Setting(f"SEM{at}_value", f"the value of semaphore {at}", page, 15)
        yield Setting(f"SEM{at}_max", f"the maximum of semaphore {at}", page, 15)
    page = f"{docs}, SoftReset"
    for letter, first in zip(LETTERS, RESET_PCS, strict=True):
        summary = f"where RISC-V {letter} begins after a reset: by its page {first:#x}"
        yield Setting(f"{letter}{START}", summary, page, WORD & -4)
    yield Setting(RESET, "what is held in reset, by bits", page, (1 << 23) - 1)
    owners = {"free": NO_THREAD, **{name: at for at, name in enumerate(QUEUES)}}
    for at in chip.mutexes:
        summary = f"who holds mutex {at}"
        most = len(QUEUES) - 1
        page = f"{docs}, {writer(SettingGroup.MUTEX)}"
        yield Setting(f"MUTEX{at}", summary, page, most, NO_THREAD, owners)


def put(core: Coprocessor, thread: int, setting: Setting, value: int) -> None:
    """Put the value of a setting into a coprocessor, for a thread if each has one."""
    name, own = setting.name, core.threads[thread]
    if name in core.layout.fields:
        config.begin_field(core, thread, name, value)
    elif isinstance(setting.place, tuple):
        own.mop[setting.place[1]] = value
    elif name == MASK:
        own.mop_mask_high = value
    elif name.startswith(BUFFER):
        own.replay[int(name.removeprefix(BUFFER))] = value
    elif name.endswith(START):
        core.riscs[LETTERS.index(name.removesuffix(START))].entry = value
    elif name == RESET:
        core.soft_reset = value
    elif name.startswith("GPR"):
        own.registers[int(name[3:])] = value
    elif name.startswith("MUTEX"):
        core.mutexes[int(name[5:])] = value
    else:
        core.semaphores[int(name[3]), int(name.endswith("max"))] = value


def _every(chip: Chip) -> Iterator[Setting]:
    yield from (_field(chip, name, at) for name, at in chip.layout.fields.items())
    yield from _expander(chip.docs)
    yield from _others(chip)


def settings_of(chip: Chip) -> Settings:
    """What programs of a generation may set."""
    offered = {one.name: one for one in _every(chip)}
    return Settings(offered, put, partial(written, chip), OPTIONS, partial(_elsewhere, chip))


def _has(chip: Chip, name: str) -> bool:
    return name in chip.layout.fields or any(name == one.name for one in _others(chip))


def _elsewhere(chip: Chip, name: str) -> str:
    """Which other generation has a setting of a name."""
    others = [c.title for c in (WORMHOLE, BLACKHOLE) if c is not chip and _has(c, name)]
    return "".join(f"{other} has it, and {chip.title} has none of this name" for other in others)
