"""Runs of the matrix unit at once: bit for bit as one by one, and started when the machine does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.targets.tensix.core.dst_use import dst_use
from nasm.targets.tensix.layouts.wormhole import FIELDS
from nasm.targets.tensix.matrix import arithmetic, control, replays
from nasm.targets.tensix.matrix.facts import MATRIX_UNIT, timing_of
from nasm.targets.tensix.matrix.formats import Format, Style
from nasm.targets.tensix.matrix.timing import cycles_blocked
from nasm.targets.tensix.state import MATRIX, UNPACKERS, Coprocessor
from nasm.targets.tensix.words import WORDS
from tests.parts import part
from tests.tensix.core.machines import ran, starts
from tests.tensix.matrix.machine import configure, coprocessor
from tests.tensix.matrix.operands import Rng, sources, stored

STYLES = [
    (style, wide) for style in Style for wide in (False, True) if wide or style is not Style.INT8
]
FORMATS = {Style.BF16: Format.BF16, Style.TF32: Format.TF32, Style.FP16: Format.FP16}
LONG_AGO = np.full(128, -1000)
TAKEN = ("MVMUL", "DOTPV", "GAPOOL", "SETRWC", "INCRWC")
THREAD = 1


def word(mnemonic: str, **fields: int) -> int:
    """A complete word of fields by name."""
    known = {one.name: one for one in WORDS[mnemonic].encoding.fields()}
    held = WORDS[mnemonic].opcode << 24
    for name, value in fields.items():
        held |= known[name].put(value)
    return held


def one_by_one(core: Coprocessor, words: tuple[int, ...]) -> list[frozenset[int]]:
    """Execute words as rows of the unit do; the blocks of Dst that each writes."""
    names = {w.opcode: name for name, w in WORDS.items()}
    blocks = []
    for held in words:
        name = names[held >> 24]
        fields = WORDS[name].fields_of(held)
        own = {f.name for form in WORDS[name].encoding.forms for f in form.fields}
        used = MATRIX_UNIT[name].dst
        blocks.append(dst_use(core, THREAD, used, fields).writes if used else frozenset())
        act = getattr(arithmetic, name, None) or getattr(control, name)
        act(core, THREAD, **{n: v for n, v in fields.items() if n in own})
    return blocks


def same(one: Any, other: Any) -> bool:
    """Whether what was saved of two cores is the same, bit for bit."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def ready(rng: Rng, style: Style, wide: bool, spread: int) -> Coprocessor:
    """Random operands, counters and increments; a few rows of Dst are not defined."""
    core = coprocessor()
    settings = {
        "ALU_FORMAT_SPEC_REG0_SrcA": FORMATS.get(style, Format.INT8),
        "ALU_FORMAT_SPEC_REG1_SrcB": FORMATS.get(style, Format.INT8),
        "ALU_ACC_CTRL_Fp32_enabled": int(wide),
        "ALU_ACC_CTRL_INT8_math_enabled": int(style is Style.INT8),
        "DEST_TARGET_REG_CFG_MATH_Offset": int(rng.integers(64)),
        "DEST_REGW_BASE_Base": int(rng.choice([0, 0, 64, 512])),
        "FIDELITY_BASE_Phase": int(rng.integers(4)),
        "ADDR_MOD_SET_Base": int(rng.integers(2)),
    }
    configure(core, settings, THREAD)
    m = core.matrix
    m.srca[:], m.srcb[:] = (sources(rng, (2, 64, 16), style, spread) for _ in range(2))
    if style in (Style.BF16, Style.TF32) and spread < 14:
        # No special ones: float32 has all products.
        for bank in (m.srca, m.srcb):
            bank[:] = bank & 0x7FF00 | (bank & 0xFF).clip(100, 150) * (rng.random(bank.shape) < 0.9)
    held = stored(rng, (1024, 16), style, wide, spread)
    m.dst[:] = (held >> 16 if wide else held) & 0xFFFF
    if wide:
        half = rng.random(1024) < 0.5
        m.dst[half] = (held & 0xFFFF)[half]
    m.defined[:] = rng.random(1024) < 0.9
    m.owner_a[:] = m.owner_b[:] = MATRIX
    m.matrix_a, m.matrix_b = (int(x) for x in rng.integers(2, size=2))
    increments(core, rng)
    return core


def increments(core: Coprocessor, rng: Rng) -> None:
    """Address modifiers and row counters: few rows of Dst, and 16 of SrcA are always left."""
    own = core.threads[THREAD]
    some = lambda *values: int(rng.choice(values))  # noqa: E731
    for i in range(8):
        settings = {
            f"AB_SEC{i}_SrcAIncr": some(0, 0, 8, 16), f"AB_SEC{i}_SrcACR": some(0, 1),
            f"AB_SEC{i}_SrcAClear": some(0, 0, 1), f"AB_SEC{i}_SrcBIncr": some(0, 8, 1, 13, 32),
            f"AB_SEC{i}_SrcBCR": some(0, 1), f"AB_SEC{i}_SrcBClear": some(0, 0, 0, 1),
            f"DST_SEC{i}_DestIncr": some(0, 8, 8, 4, 1, 16), f"DST_SEC{i}_DestCR": some(0, 0, 1),
            f"DST_SEC{i}_DestClear": some(0, 0, 0, 1), f"DST_SEC{i}_DestCToCR": some(0, 0, 1),
            f"DST_SEC{i}_FidelityIncr": some(0, 0, 1, 2, 3),
            f"DST_SEC{i}_FidelityClear": some(0, 0, 0, 1),
            f"BIAS_SEC{i}_BiasIncr": some(0, 1), f"BIAS_SEC{i}_BiasClear": some(0, 0, 1),
        }  # fmt: skip
        configure(core, {f"ADDR_MOD_{name}": value for name, value in settings.items()}, THREAD)
    of_b = rng.integers(64, size=2).tolist()
    own.rows.restore((some(0, 9, 130), some(0, 64), 0, 0, *of_b, 0, 0, 0))
    own.rows.extra_addr_mod, own.rows.fidelity = some(0, 1), some(0, 1, 2, 3)


def words_of(rng: Rng, count: int) -> tuple[int, ...]:
    """Random words that can be in a run."""
    found = []
    for name in rng.choice(TAKEN, count, p=[0.6, 0.1, 0.1, 0.1, 0.1]).tolist():
        form = WORDS[name].encoding.forms[0]
        held = {
            f.name: int(rng.integers(1 << f.width)) for f in form.fields if "Flip" not in f.name
        }
        if "DstRow" in held:
            held["DstRow"] = int(rng.integers(40))
        if "SrcAVal" in held:
            held["SrcAVal"] = 0
        if "SrcAInc" in held:
            held["SrcAInc"] = 0
        found.append(word(name, **held))
    return tuple(found)


def allowed(core: Coprocessor, words: tuple[int, ...]) -> tuple[int, ...]:
    """As many words as do not read beyond the last row of SrcA."""
    for count in range(len(words), 0, -1):
        if replays.plan(core, THREAD, words[:count], 0, LONG_AGO) is not None:
            return words[:count]
    return ()


@pytest.mark.parametrize(("style", "wide"), STYLES, ids=lambda x: getattr(x, "name", x))
def test_a_run_leaves_everything_as_one_by_one(style: Style, wide: bool) -> None:
    rng = np.random.default_rng(7)
    lengths = []
    for case in part(range(24), 4):
        core = ready(rng, style, wide, (2, 6, 14, 90)[case % 4])
        words = allowed(core, words_of(rng, int(rng.integers(1, 70))))
        assert replays.fit(words) == len(words)
        before = core.save()
        planned = replays.plan(core, THREAD, words, 0, LONG_AGO)
        if planned is None:
            continue
        assert same(core.save(), before)
        assert planned.perform()
        found = core.save()
        core.restore(before)
        assert [*planned.blocks] == one_by_one(core, words)
        assert same(found, core.save())
        assert not same(found, before)
        lengths.append(len(words))
    assert sum(lengths) > 12 * len(lengths)


@pytest.mark.parametrize("phases", [1, 4])
def test_a_product_of_tiles_is_the_same_at_once(phases: int) -> None:
    rng = np.random.default_rng(phases)
    core = ready(rng, Style.BF16, True, 6)
    core.threads[THREAD].rows.restore((0,) * 9)
    words = tuple(
        word("MVMUL", AddrMod=i & 1, DstRow=8 * (i % 8), BroadcastSrcBRow=0)
        for i in range(16 * phases)
    )
    configure(core, {"ADDR_MOD_AB_SEC0_SrcAIncr": 0, "ADDR_MOD_SET_Base": 0}, THREAD)
    words = allowed(core, words)
    before = core.save()
    planned = replays.plan(core, THREAD, words, 0, LONG_AGO)
    assert planned is not None
    assert planned.perform()
    found = core.save()
    core.restore(before)
    one_by_one(core, words)
    assert same(found, core.save())


def test_a_run_ends_where_a_bank_is_passed_and_where_another_unit_is_asked() -> None:
    product = word("MVMUL", DstRow=8)
    assert replays.fit(()) == 0
    assert replays.fit((product,) * 3) == 3
    for name in TAKEN:
        for flip in ("FlipSrcA", "FlipSrcB"):
            if name != "INCRWC":
                assert replays.fit((product, word(name, **{flip: 1}), product)) == 2
    for name in ("MOVD2A", "ZEROACC", "SFPLOAD", "CLEARDVALID", "STALLWAIT", "GMPOOL"):
        assert replays.fit((product, product, WORDS[name].opcode << 24)) == 2
    assert replays.fit((product, product | 1 << 21)) == 1  # no document says what the bit is for


def test_what_would_wait_or_be_refused_is_not_planned() -> None:
    core = ready(np.random.default_rng(0), Style.BF16, False, 6)
    core.threads[THREAD].rows.restore((0,) * 9)
    words = (word("MVMUL"),)
    before = core.save()
    planned = lambda: replays.plan(core, THREAD, words, 0, LONG_AGO)  # noqa: E731
    assert planned() is not None
    for owners in (core.matrix.owner_a, core.matrix.owner_b):
        owners[:] = UNPACKERS
        assert planned() is None
        assert replays.plan(core, THREAD, (word("INCRWC", DstInc=1),), 0, LONG_AGO) is not None
        owners[:] = MATRIX
    core.threads[THREAD].rows.srca = 56  # 16 rows from there on
    assert planned() is None
    core.threads[THREAD].rows.srca = 0
    configure(core, {"ALU_FORMAT_SPEC_REG0_SrcA": 13}, THREAD)  # the code of no format
    assert planned() is None
    configure(core, {"ALU_FORMAT_SPEC_REG0_SrcA": Format.FP16}, THREAD)  # SrcB is BF16
    assert planned() is None
    configure(core, {"ALU_FORMAT_SPEC_REG0_SrcA": Format.BF16}, THREAD)
    assert same(core.save(), before)


def test_nothing_in_a_run_holds_up_what_comes_next() -> None:
    for name in TAKEN:
        assert timing_of(name).interval == 1
        assert {cycles_blocked(name, later) for later in TAKEN} == {0}


def machine_starts(core: Coprocessor, words: tuple[int, ...]) -> list[int]:
    """When the machine starts words behind one that gives the matrix unit its banks."""
    lines = ["@t0 SETDVALID FlipSrcA=1, FlipSrcB=1"]
    names = {w.opcode: name for name, w in WORDS.items()}
    for held in words:
        name = names[held >> 24]
        one = WORDS[name].encoding
        given = ", ".join(f"{f.name}={f.get(held)}" for f in one.operands if f.get(held))
        lines.append(f"@t{THREAD} {name} {given}")

    def set_up(to: Coprocessor) -> None:
        to.config[:] = core.config
        to.threads[THREAD].config[:] = core.threads[THREAD].config
        to.threads[THREAD].rows.restore(core.threads[THREAD].rows.save())

    # A word of counters may start before the banks are there.
    return starts(ran("\n".join(lines), set_up=set_up), THREAD)


@pytest.mark.parametrize("wide", [False, True])
def test_words_start_when_the_machine_starts_them(wide: bool) -> None:
    rng = np.random.default_rng(3)
    stalls = 0
    for _ in range(6):
        core = ready(rng, Style.BF16, wide, 6)
        core.matrix.matrix_a = core.matrix.matrix_b = 0
        words = allowed(core, (word("MVMUL", DstRow=8), *words_of(rng, 30)))
        wanted = machine_starts(core, words)
        planned = replays.plan(core, THREAD, words, 1, LONG_AGO)
        assert planned is not None
        assert [1 + at for at in planned.starts] == wanted
        stalls += wanted[-1] - len(wanted)
        in_two(core, words, wanted)
    assert stalls > 10


def in_two(core: Coprocessor, words: tuple[int, ...], wanted: list[int]) -> None:
    """A run that follows on another waits for the blocks that this one has written."""
    half = len(words) // 2
    first = replays.plan(core, THREAD, words[:half], 1, LONG_AGO)
    assert first is not None
    written = LONG_AGO.copy()
    for at, blocks in zip(first.starts, first.blocks, strict=True):
        written[list(blocks)] = 1 + at
    assert first.perform()
    second = replays.plan(core, THREAD, words[half:], wanted[half], written)
    assert second is not None
    assert [wanted[half] + at for at in second.starts] == wanted[half:]


def test_increments_cover_every_field_of_an_address_modifier() -> None:
    names = {n.partition("SEC3_")[2] for n in FIELDS if n.startswith("ADDR_MOD_") and "SEC3_" in n}
    tried = (
        "SrcAIncr SrcACR SrcAClear SrcBIncr SrcBCR SrcBClear DestIncr DestCR DestClear DestCToCR"
    )
    tried += " FidelityIncr FidelityClear BiasIncr BiasClear"
    unread = {n for n in names if n.startswith(("Y", "Z", "BiasCnt"))}
    assert names - unread == {*tried.split()}
