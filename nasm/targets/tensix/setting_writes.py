"""Settings that instructions write: which, and in which order.

One instruction writes all 16 bits of a thread's word, others bits of a byte of a banked or global
word, or all of one, from a register that the program names. Words of the expander are stored by the
RISC-V core of the thread, and others where a line has ``host=1``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from nasm.base.problems import Refused, listed
from nasm.isa.settings import MISPLACED, Values, Written
from nasm.targets.tensix.address_names import ADDRESSES
from nasm.targets.tensix.chips import Chip
from nasm.targets.tensix.layouts.layout import ConfigField
from nasm.targets.tensix.memory_map import CONFIGURATION, EXPANDER_DONE, REGFILE
from nasm.targets.tensix.words.groups import SettingGroup, writer

THREAD_WORD: Final = writer(SettingGroup.THREAD)
BANK_WORD: Final = writer(SettingGroup.WORD)

OPTIONS: Final = {
    "register": f"the general register that {BANK_WORD} takes words from",
    "host": "1 lets the RISC-V core of the thread store them, without an instruction of the thread",
    "wait": "1 lets the core wait first until its expander has expanded what was pushed",
    "bank": "the bank of the configuration that the core stores to, 0 or 1",
}

MASK: Final = "MOP_mask_high"
"""The setting of the upper half of the mask."""

_RESET: Final = "STATE_RESET_EN"

Fields = Mapping[str, ConfigField]


def written(chip: Chip, values: Values, options: Mapping[str, int]) -> Sequence[Written]:
    """The instructions that write some settings, in their order; raises Refused."""
    given = {setting.name: value for setting, value in values}
    if len(given) < len(values):
        raise Refused(MISPLACED, "one setting is written twice in a line")
    register = options.get("register", -1)
    if not -1 <= register < 64:
        raise Refused("E0301", f"there are registers 0 to 63; found {register}")
    host, bank, wait = (options.get(name, 0) for name in ("host", "bank", "wait"))
    for name in ("host", "bank", "wait"):
        if options.get(name, 0) not in (0, 1):
            raise Refused("E0301", f"{name} is 0 or 1; found {options[name]}")
    fields, made = chip.layout.fields, list[Written]()
    if wait:
        made.append((writer(SettingGroup.LOAD), {"Address": EXPANDER_DONE}))
    done: set[object] = set()
    for name in given:
        group = _group(fields, name)
        if group not in done:
            done.add(group)
            stored = host or group[0] == "expander"
            made += (
                _stores(chip, group, given, bank)
                if stored
                else _instructions(fields, group, given, register)
            )
    if register >= 0 and not any(mnemonic == BANK_WORD for mnemonic, _ in made):
        raise Refused("E0309", "none of these is written through a register", "leave register= out")
    return made


def _group(fields: Fields, name: str) -> tuple[str, int]:
    """What is written together: a word of the configuration, a register, a semaphore."""
    if name in fields:
        return fields[name].kind, fields[name].word
    if name.startswith("GPR"):
        return "register", int(name[3:])
    if name.startswith("SEM"):
        return "semaphore", int(name[3])
    if name == MASK:
        return "mask", 0
    if name in ADDRESSES:
        return "expander", ADDRESSES[name]
    message = f"no instruction writes {name}"
    raise Refused(MISPLACED, message, f"set it before the run, with .cfg {name} = value")


def _stores(
    chip: Chip, group: tuple[str, int], given: Mapping[str, int], bank: int
) -> Iterator[Written]:
    """The store of the thread's core that writes a word; raises Refused where there is none."""
    kind, at = group
    if kind == "expander":
        value = next(value for name, value in given.items() if ADDRESSES.get(name) == at)
        yield writer(SettingGroup.STORE), {"Address": at, "Value": value}
    elif kind == "register":
        address = REGFILE + 4 * at
        yield writer(SettingGroup.STORE), {"Address": address, "Value": given[f"GPR{at}"]}
    elif kind == "config":
        address = CONFIGURATION + 4 * (bank * chip.layout.words + at)
        value = _whole(chip.layout.fields, group, given)
        yield writer(SettingGroup.STORE), {"Address": address, "Value": value}
    elif kind == "semaphore":
        store = writer(SettingGroup.STORE)
        hint = f"post it by {store} SEM{at}, 0, and take one back by {store} SEM{at}, 1"
        raise Refused(MISPLACED, "no store sets the numbers of a semaphore", hint)
    else:
        message = "no store of a core writes the configuration of a thread, or the mask"
        raise Refused(MISPLACED, message, "leave host=1 out: an instruction does")


def _instructions(
    fields: Fields, group: tuple[str, int], given: Mapping[str, int], register: int
) -> Iterator[Written]:
    kind, at = group
    if kind == "thread":
        yield THREAD_WORD, {"CfgIndex": at, "NewValue": _whole(fields, group, given)}
    elif kind == "config" and register >= 0:
        yield from _halves(register, _whole(fields, group, given))
        yield BANK_WORD, {"InputReg": register, "Is128Bit": 0, "CfgIndex": at}
    elif kind == "config":
        yield from _bytes(fields, group, given)
    elif kind == "register":
        yield from _halves(at, given[f"GPR{at}"])
    elif kind == "semaphore":
        names = f"SEM{at}_value", f"SEM{at}_max"
        _all(names, given, writer(SettingGroup.SEMAPHORE))
        value, most = (given[name] for name in names)
        settled = {"NewMax": most, "NewValue": value, "SemaphoreMask": 1 << at}
        yield writer(SettingGroup.SEMAPHORE), settled
    else:
        yield writer(SettingGroup.MASK), {"MaskHi": given[MASK]}


def _halves(register: int, value: int) -> Iterator[Written]:
    for half in (0, 1):
        part = value >> 16 * half & 0xFFFF
        yield (
            writer(SettingGroup.REGISTER),
            {"NewValue": part, "ResultHalfReg": 2 * register + half},
        )


def _whole(fields: Fields, group: tuple[str, int], given: Mapping[str, int]) -> int:
    """All of a word, of which every field is given; raises Refused."""
    names = [name for name, field in fields.items() if (field.kind, field.word) == group]
    _all(names, given, THREAD_WORD if group[0] == "thread" else BANK_WORD)
    return sum(given[name] << fields[name].shift for name in names)


def _all(names: Sequence[str], given: Mapping[str, int], mnemonic: str) -> None:
    missing = [name for name in names if name not in given]
    if missing:
        message = f"{mnemonic} writes all of a word, and {listed(missing, 'and')} is not given"
        message = message if len(missing) == 1 else message.replace(" is not", " are not")
        raise Refused(MISPLACED, message, "give all of them: .write NAME = value, NAME = value")


def _bytes(fields: Fields, group: tuple[str, int], given: Mapping[str, int]) -> Iterator[Written]:
    """A write of each byte in which there are bits to write."""
    mask = value = 0
    for name, number in given.items():
        field = fields.get(name)
        if field is not None and (field.kind, field.word) == group:
            mask |= field.mask << field.shift
            value |= number << field.shift
    if _RESET in given and fields[_RESET].word == group[1]:
        message = (
            f"{writer(SettingGroup.BYTE)} writes {_RESET} as any other word, and resets nothing"
        )
        raise Refused(MISPLACED, message, "write it through a register: .write … register=60")
    for byte in range(4):
        bits = mask >> 8 * byte & 0xFF
        if bits:
            new = value >> 8 * byte & 0xFF
            yield (
                writer(SettingGroup.BYTE, byte),
                {"Mask": bits, "NewValue": new, "Index4": group[1]},
            )
