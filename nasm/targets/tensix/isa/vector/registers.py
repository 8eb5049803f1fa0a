"""Which registers of lanes instructions read and write, by their fields: what several rows share.

VB is VD in a word, and a field of its own in what a macro puts off.
"""

from __future__ import annotations

from collections.abc import Iterable

from nasm.targets.tensix.lanes.facts import NO_REGISTERS, Fields, Registers, mode_of

EVERY: Registers = frozenset(range(8))
_L16 = 16
_INDIRECT_VA, _INDIRECT_VD = 4, 8


def writable(numbers: Iterable[int]) -> Registers:
    """Those of some registers that are not constants."""
    return frozenset(number for number in numbers if number < 8 or number == _L16)


def _second(fields: Fields) -> int:
    found = fields.get("VB")
    return fields["VD"] if found is None else found


# -- what is written


def nothing(fields: Fields) -> Registers:
    """No register."""
    return NO_REGISTERS


def every(fields: Fields) -> Registers:
    """L0 to L7."""
    return EVERY


def result(fields: Fields) -> Registers:
    """VD, unless it is a constant."""
    return writable((fields["VD"],))


def result_or_any(fields: Fields) -> Registers:
    """The same, or in one mode what L7 of each lane names."""
    if mode_of(fields) & _INDIRECT_VD and fields["VD"] != _L16:
        return EVERY
    return result(fields)


# -- what is read


def vd(fields: Fields) -> Registers:
    """VD."""
    return frozenset({fields["VD"]})


def vc(fields: Fields) -> Registers:
    """VC."""
    return frozenset({fields["VC"]})


def both(fields: Fields) -> Registers:
    """VC, and VB or VD."""
    return frozenset({fields["VC"], _second(fields)})


def vc_and_second_or_number(fields: Fields) -> Registers:
    """VC, and VB or VD unless that is a number."""
    return vc(fields) if mode_of(fields) & 1 else both(fields)


def second_and_vc_or_number(fields: Fields) -> Registers:
    """VB or VD, and VC unless that is a number."""
    return frozenset({_second(fields)}) if mode_of(fields) & 1 else both(fields)


def _indirect(fields: Fields) -> Registers:
    """L7, where it names what is written."""
    return frozenset({7}) if mode_of(fields) & _INDIRECT_VD else NO_REGISTERS


def three(fields: Fields) -> Registers:
    """VA, VB and VC, of which L7 may name VA."""
    first = range(16) if mode_of(fields) & _INDIRECT_VA else (fields["VA"],)
    return _indirect(fields) | {*first, fields["VB"], fields["VC"]}


def one_and_number(fields: Fields) -> Registers:
    """VC in what a macro puts off, or else VD."""
    return _indirect(fields) | {fields.get("VC", fields["VD"])}


def small_table(fields: Fields) -> Registers:
    """L0 to L2, and L3."""
    return _indirect(fields) | set(range(4))


def large_table(fields: Fields) -> Registers:
    """L0 to L6, or in one mode L0 to L3."""
    return _indirect(fields) | set(range(4 if mode_of(fields) & 10 == 10 else 7))


# -- which flags are written


def always(fields: Fields) -> bool:
    """Flags are what it writes."""
    return True


def if_asked(fields: Fields) -> bool:
    """Some modes also write flags, if VD is no constant."""
    return mode_of(fields) & 10 != 0 and fields["VD"] < 8


def unless_kept(fields: Fields) -> bool:
    """All but some modes also write flags, if VD is no constant."""
    return mode_of(fields) & 12 != 4 and fields["VD"] < 8
