"""What an instruction uses, and what is found wrong with its place or with the state it meets."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from nasm.targets.tensix.lanes.configuration import SFPNOP
from nasm.targets.tensix.lanes.macros import SFPLOADMACRO
from nasm.targets.tensix.lanes.predication import SFPPUSHC
from nasm.targets.tensix.lanes.register_uses import uses
from nasm.targets.tensix.lanes.scheduling import latency, stalls, too_early, undefined_now
from nasm.targets.tensix.state import Coprocessor
from nasm.targets.tensix.words import WORDS
from nasm.targets.tensix.words.units import VECTOR
from tests.parts import part
from tests.tables import each
from tests.tensix.lanes.compare import FUNCTIONS, Flat, coprocessor, fields

MAD = {"VA": 0, "VB": 1, "VC": 2, "VD": 3, "Mod1": 0}
ROTATE = {"Imm12": 0, "VC": 0, "VD": 3, "Mod1": 3}
COPY = {**ROTATE, "Mod1": 2}
BITS = {**ROTATE, "Mod1": 5}
ABS = {"VC": 0, "VD": 5, "Mod1": 0}
CONFIGURE = {"Imm16": 2, "VD": 15, "Mod1": 1}


@each("name", sorted(FUNCTIONS))
def test_only_what_is_said_to_be_written_changes_and_only_what_is_read_matters(name: str) -> None:
    rng = np.random.default_rng(list(name.encode()))
    for _ in part(range(60), 6):
        core = coprocessor(rng)
        core.vector.stack = core.vector.stack[:7]
        given = fields(rng, name, len(core.vector.stack))
        indexed = bool((core.vector.lane_config & 4).any())
        found = uses(name, given, indexed)
        if name in ("SFPLOAD", "SFPSTORE"):
            given["AddrMod"] = 0
        saved = core.save()
        FUNCTIONS[name](core, 0, **given)
        after = core.vector.registers.copy()
        flags = core.vector.flag.copy(), core.vector.uses_flag.copy()
        before = saved_registers(core, saved)
        changed = set(np.flatnonzero((before != after).any(1)))
        assert changed <= found.writes
        same = np.array_equal(flags[0], core.vector.flag) and np.array_equal(
            flags[1], core.vector.uses_flag
        )
        assert same or found.writes_flags
        others = sorted(set(range(17)) - found.reads - found.writes)
        core.vector.registers[others] ^= np.uint32(0x5A5A5A5A)
        FUNCTIONS[name](core, 0, **given)
        written = sorted(found.writes)
        assert np.array_equal(core.vector.registers[written], after[written])


def saved_registers(core: Coprocessor, saved: object) -> np.ndarray:
    """Restore a coprocessor; its registers."""
    core.restore(saved)
    return core.vector.registers.copy()


def test_every_word_of_the_unit_is_executed_by_its_fields() -> None:
    known = {**FUNCTIONS, "SFPLOADMACRO": SFPLOADMACRO, "SFPNOP": SFPNOP}
    words = [word for word in WORDS.values() if word.unit is VECTOR]
    assert set(known) == {word.mnemonic for word in words}
    for word in words:
        parameters = inspect.signature(known[word.mnemonic]).parameters
        asked = {name for name, one in parameters.items() if one.kind is not one.KEYWORD_ONLY}
        assert asked - {"core", "thread", "quirks"} <= set(word.encoding.parts)


def test_indirect_modes_use_what_any_lane_may_name() -> None:
    assert uses("SFPMAD", {**MAD, "Mod1": 8}).writes == frozenset(range(8))
    assert uses("SFPMAD", {**MAD, "Mod1": 8}).reads == {0, 1, 2, 7}
    assert uses("SFPMAD", {**MAD, "Mod1": 4}).reads == frozenset(range(16))


@pytest.mark.parametrize(
    ("mnemonic", "given", "cycles"),
    [
        ("SFPMAD", MAD, 2),
        ("SFPLUTFP32", {"VD": 0, "Mod1": 0}, 2),
        ("SFPSHFT2", ROTATE, 2),
        ("SFPSHFT2", {**ROTATE, "Mod1": 5}, 1),
        ("SFPIADD", {"VD": 0, "VC": 1, "Imm12": 0, "Mod1": 0}, 1),
    ],
)
def test_latencies(mnemonic: str, given: dict[str, int], cycles: int) -> None:
    assert latency(mnemonic, given) == cycles


def test_only_swaps_make_the_next_one_wait() -> None:
    assert stalls("SFPSWAP", "SFPMAD")
    assert not stalls("SFPSWAP", "SFPNOP")
    assert not stalls("SFPMAD", "SFPSWAP")


@each(
    ("before", "its", "mnemonic", "given", "said"),
    [
        ("SFPMAD", MAD, "SFPSTORE", {"VD": 3, "Mod0": 0}, "reads LReg[3] in the cycle after"),
        ("SFPMAD", MAD, "SFPSTORE", {"VD": 2, "Mod0": 0}, ""),
        ("SFPMAD", MAD, "SFPLOADI", {"VD": 3, "Mod0": 10, "Imm16": 0}, "SFPLOADI reads LReg[3]"),
        ("SFPMAD", MAD, "SFPLOADI", {"VD": 3, "Mod0": 0, "Imm16": 0}, ""),
        ("SFPSHFT2", ROTATE, "SFPMAD", {**MAD, "VA": 3}, "SFPMAD reads LReg[3]"),
        ("SFPSHFT2", ROTATE, "SFPABS", ABS, "the cycle after SFPSHFT2 with Mod1 3"),
        ("SFPSHFT2", ROTATE, "SFPSETCC", {"VC": 0, "Imm1": 0, "Mod1": 0}, ""),
        ("SFPSHFT2", ROTATE, "SFPSHFT2", {**ROTATE, "VD": 4, "Mod1": 4}, ""),
        ("SFPSHFT2", COPY, "SFPLOADI", {"VD": 2, "Mod0": 0, "Imm16": 0}, "SFPLOADI writes LReg[2]"),
        ("SFPSHFT2", BITS, "SFPABS", {**ABS, "VC": 3}, ""),
        ("SFPSWAP", {"VC": 0, "VD": 1, "Mod1": 1}, "SFPABS", ABS, ""),
        ("SFPCONFIG", CONFIGURE, "SFPSTORE", {"VD": 12, "Mod0": 0}, "in the cycle after SFPCONFIG"),
        ("SFPCONFIG", CONFIGURE, "SFPSTORE", {"VD": 11, "Mod0": 0}, ""),
    ],
)  # fmt: skip
def test_what_comes_too_early(
    before: str, its: dict[str, int], mnemonic: str, given: dict[str, int], said: str
) -> None:
    found = [finding.message for finding in too_early(before, its, mnemonic, given)]
    assert len(found) == bool(said)
    assert said in "".join(found)


def test_what_is_undefined_is_said() -> None:
    core = Coprocessor(Flat())

    def said(mnemonic: str, **given: int) -> list[str]:
        return [finding.message for finding in undefined_now(core, 0, mnemonic, given)]

    assert said("SFPPOPC", Mod1=0) == ["SFPPOPC with an empty stack of flags"]
    assert said("SFPPOPC", Mod1=1) == said("SFPPUSHC") == []
    core.matrix.defined[4:8] = core.matrix.defined[9:12] = True
    assert said("SFPLOAD", VD=0, Mod0=6, Imm10=4) == said("SFPLOAD", VD=0, Mod0=11, Imm10=8) == []
    assert said("SFPLOAD", VD=0, Mod0=6, Imm10=8) == [
        "SFPLOAD with Imm10 8 and Mod0 6 reads rows 8 of Dst, which are undefined"
    ]
    (wide,) = said("SFPLOAD", VD=0, Mod0=3, Imm10=4)
    assert "reads rows 12, 13, 14, 15 of Dst" in wide
    for _ in range(8):
        SFPPUSHC(core, 0)
    assert "has room for 8" in said("SFPPUSHC")[0]
    assert "overwrites its bottom entry" in said("SFPPOPC", Mod1=13)[0]
    core.vector.lane_config[0] = 4
    assert "writes LReg[5] while ENABLE_DEST_INDEX" in said("SFPMAD", **{**MAD, "VD": 5})[0]
    assert said("SFPMAD", **MAD) == []
