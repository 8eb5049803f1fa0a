"""Words of the vector unit taken apart once: what each does, and what can be done with many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

from nasm.targets.tensix.lanes.conversions import SFPLOADI
from nasm.targets.tensix.lanes.dst_formats import INT32_ALL
from nasm.targets.tensix.lanes.macros import parameters, parsed
from nasm.targets.tensix.lanes.permutations import ROTATE, ROTATE_AND_COPY4, SHIFT
from nasm.targets.tensix.lanes.predication import STACK
from nasm.targets.tensix.lanes.quirks import Quirks
from nasm.targets.tensix.lanes.sub_units import SUB_UNITS
from nasm.targets.tensix.lanes.uses import MAD_FAMILY, Fields, uses

Act = Callable[..., None]

_FUNCTIONS: Final[dict[str, Act]] = {
    "SFPLOADI": SFPLOADI,
    **{name: act for unit in SUB_UNITS.values() for name, act in unit.items()},
}
ACCESSES: Final = ("SFPLOAD", "SFPSTORE")
"""Instructions that have an address in Dst."""

_RANDOM = 9


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A word that is executed whatever the state is.

    Attributes:
        mnemonic: What it is.
        fields: Its fields, by the documents' names.
        act: Executes it, called with a core and a thread; None if that does nothing. Loads and
            stores need an address instead.
        reads: Registers that it may read.
        writes: Registers that it may write, in the lanes that execute.
        all_lanes: It heeds no flags.
        some_lanes: It may leave out some of the lanes that execute.
        flags: It may write flags.
        alone: Rounds that have it cannot be evaluated together.
    """

    mnemonic: str
    fields: Fields
    act: Act | None
    reads: frozenset[int]
    writes: frozenset[int]
    all_lanes: bool
    some_lanes: bool
    flags: bool
    alone: bool


@lru_cache(maxsize=1 << 4)
def steps_by(quirks: Quirks) -> Callable[[int], Step]:
    """What a word does, by the word."""
    return lru_cache(maxsize=1 << 12)(partial(_step, quirks))


def _step(quirks: Quirks, word: int) -> Step:
    mnemonic, fields = parsed(word)
    used = uses(mnemonic, fields)
    mode = fields.get("Mod1", fields.get("Mod0", 0))
    return Step(
        mnemonic,
        fields,
        _bound(mnemonic, fields, quirks),
        used.reads,
        used.writes,
        (mnemonic == "SFPMOV" and mode == 2) or (mnemonic == "SFPLOAD" and mode == INT32_ALL),
        mnemonic in MAD_FAMILY and mode & 8 > 0,
        used.writes_flags,
        mnemonic == "SFPCONFIG" or _draws(mnemonic, fields, mode, quirks),
    )


def _bound(mnemonic: str, fields: Fields, quirks: Quirks) -> Act | None:
    if mnemonic in ("SFPNOP", *ACCESSES):
        return None
    function = _FUNCTIONS[mnemonic]
    accepted = parameters(function)
    given: dict[str, Any] = {name: n for name, n in fields.items() if name in accepted}
    if "quirks" in accepted:
        given["quirks"] = quirks
    return partial(function, **given)


def _draws(mnemonic: str, fields: Fields, mode: int, quirks: Quirks) -> bool:
    """Whether random numbers go on."""
    if mnemonic == "SFP_STOCH_RND":
        return fields["StochasticRounding"] > 0 or quirks.rounding_always_draws
    return (mnemonic == "SFPCAST" and mode & 1 > 0) or (
        mnemonic == "SFPMOV" and mode & 8 > 0 and fields["VC"] == _RANDOM
    )


def carried(steps: Iterable[Step]) -> set[int]:
    """Registers that steps write, of which they read what was there, if all lanes execute."""
    live: set[int] = set()
    written: set[int] = set()
    for one in steps:
        live |= one.reads - written
        written |= one.writes
    return live & written


def keeps_rotated(steps: Sequence[Step]) -> bool:
    """Whether what was rotated last is not at once read by steps and then changed."""
    modes = [one.fields["Mod1"] for one in steps if one.mnemonic == "SFPSHFT2"]
    asked = [mode for mode in modes if mode in (ROTATE_AND_COPY4, ROTATE, SHIFT)]
    return not asked or asked[0] != SHIFT or set(asked) == {SHIFT}


def depths(steps: Iterable[Step], peeks_full: bool = False) -> tuple[int, int, int]:
    """Of the stack of flags: what it grows by, and the fewest and the most entries to begin with.

    The most are so many that no step finds it full that pushes, or peeks unless it may.
    """
    depth, fewest, most = 0, 0, STACK
    for one in steps:
        if one.mnemonic == "SFPPUSHC":
            most = min(most, STACK - 1 - depth)
            depth += 1
        elif one.mnemonic == "SFPPOPC" and one.fields["Mod1"]:
            most = min(most, STACK - depth if peeks_full else STACK - 1 - depth)
        elif one.mnemonic == "SFPPOPC":
            fewest = max(fewest, 1 - depth)
            depth -= 1
    return depth, fewest, most
