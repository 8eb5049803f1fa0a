"""Settings that instructions write: which, and in which order.

One instruction writes all 16 bits of a thread's word, others bits of a byte of a banked or global
word, or all of one, from a register that the program names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from nasm.base.problems import Refused, listed
from nasm.isa.settings import MISPLACED, Values, Written
from nasm.targets.tensix.layouts.layout import ConfigField
from nasm.targets.tensix.words.groups import SettingGroup, writer

THREAD_WORD: Final = writer(SettingGroup.THREAD)
BANK_WORD: Final = writer(SettingGroup.WORD)

OPTIONS: Final = {"register": f"the general register that {BANK_WORD} takes words from"}

MASK: Final = "MOP_mask_high"
"""The setting of the upper half of the mask."""

_RESET: Final = "STATE_RESET_EN"


Fields = Mapping[str, ConfigField]


def written(fields: Fields, values: Values, options: Mapping[str, int]) -> Sequence[Written]:
    """The instructions that write some settings, in their order; raises Refused."""
    given = {setting.name: value for setting, value in values}
    if len(given) < len(values):
        raise Refused(MISPLACED, "one setting is written twice in a line")
    register = options.get("register", -1)
    if not -1 <= register < 64:
        raise Refused("E0301", f"there are registers 0 to 63; found {register}")
    made: list[Written] = []
    done: set[object] = set()
    for name in given:
        group = _group(fields, name)
        if group not in done:
            done.add(group)
            made += _instructions(fields, group, given, register)
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
    message = f"no instruction writes {name}"
    raise Refused(MISPLACED, message, f"set it before the run, with .cfg {name} = value")


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
