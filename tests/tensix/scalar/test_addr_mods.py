"""Address modifiers, against a model of plain integers and against facts worked by hand."""

from __future__ import annotations

import random

import numpy as np

from nasm.targets.tensix.scalar import config
from nasm.targets.tensix.scalar.addr_mods import apply_addr_mod, apply_pack_addr_mod
from nasm.targets.tensix.state import Coprocessor
from tests.parts import part
from tests.tensix.scalar.cores import made

Rows = dict[str, int]
NAMES = ("dst", "dst_cr", "srca", "srca_cr", "srcb", "srcb_cr", "fidelity", "extra_addr_mod")


def rows_of(core: Coprocessor, thread: int) -> Rows:
    return {n: getattr(core.threads[thread].rows, n) for n in NAMES}


def model(rows: Rows, get: dict[str, int], fidelity: bool) -> Rows:
    """One modifier by its fields' names, one counter after the other."""
    r = dict(rows)
    for src, incr in (("srca", "SrcA"), ("srcb", "SrcB")):
        if get[f"{incr}Clear"]:
            r[src] = r[f"{src}_cr"] = 0
        elif get[f"{incr}CR"]:
            r[f"{src}_cr"] = (r[f"{src}_cr"] + get[f"{incr}Incr"]) % 64
            r[src] = r[f"{src}_cr"]
        else:
            r[src] = (r[src] + get[f"{incr}Incr"]) % 64
    if get["DestClear"]:
        r["dst"] = r["dst_cr"] = 0
    elif get["DestCToCR"]:
        r["dst"] = (r["dst"] + get["DestIncr"]) % 1024
        r["dst_cr"] = r["dst"]
    elif get["DestCR"]:
        r["dst_cr"] = (r["dst_cr"] + get["DestIncr"]) % 1024
        r["dst"] = r["dst_cr"]
    else:
        r["dst"] = (r["dst"] + get["DestIncr"]) % 1024
    if fidelity and get["FidelityClear"]:
        r["fidelity"] = 0
    elif fidelity:
        r["fidelity"] = (r["fidelity"] + get["FidelityIncr"]) % 4
    if get["BiasClear"]:
        r["extra_addr_mod"] = 0
    elif get["BiasIncr"] % 4:
        r["extra_addr_mod"] = 1 - r["extra_addr_mod"]
    return r


def test_random_modifiers_move_rows_as_the_model_does() -> None:
    draw = random.Random(1)
    core = made()
    own = core.threads[1]
    for _ in part(range(10_000), 1_000):
        for word in (2, *range(7, 31), *range(48, 56)):
            own.config[word] = draw.getrandbits(16)
        for name, top in zip(NAMES, (1023, 1023, 63, 63, 63, 63, 3, 1), strict=True):
            setattr(own.rows, name, draw.randint(0, top))
        number, fidelity = draw.randrange(4), draw.random() < 0.5
        before = rows_of(core, 1)
        index = number
        if before["extra_addr_mod"] or config.field(core, 1, "ADDR_MOD_SET_Base"):
            index += 4
        fields = {
            f: config.field(core, 1, f"ADDR_MOD_{section}_SEC{index}_{f}")
            for section, names in (
                ("AB", "SrcAIncr SrcACR SrcAClear SrcBIncr SrcBCR SrcBClear"),
                ("DST", "DestIncr DestCR DestClear DestCToCR FidelityIncr FidelityClear"),
                ("BIAS", "BiasIncr BiasClear"),
            )
            for f in names.split()
        }
        apply_addr_mod(core, 1, number, fidelity)
        assert rows_of(core, 1) == model(before, fields, fidelity)
    assert rows_of(core, 0) == rows_of(core, 2) == dict.fromkeys(NAMES, 0)


def test_base_and_extra_bit_together_add_four_once() -> None:
    core = made()
    own = core.threads[0]
    config.set_field(core, 0, "ADDR_MOD_DST_SEC5_DestIncr", 9)
    config.set_field(core, 0, "ADDR_MOD_SET_Base", 1)
    own.rows.extra_addr_mod = 1
    apply_addr_mod(core, 0, 1)
    assert own.rows.dst == 9


def test_a_bias_of_four_toggles_nothing() -> None:
    core = made()
    config.set_field(core, 0, "ADDR_MOD_BIAS_SEC0_BiasIncr", 4)
    apply_addr_mod(core, 0, 0)
    assert core.threads[0].rows.extra_addr_mod == 0
    config.set_field(core, 0, "ADDR_MOD_BIAS_SEC0_BiasIncr", 5)
    apply_addr_mod(core, 0, 0)
    assert core.threads[0].rows.extra_addr_mod == 1


def test_both_increments_of_a_column_of_tiles() -> None:
    """By hand: 8 rows a step, carriage return by 16 at the end of a face."""
    core = made()
    config.set_field(core, 2, "ADDR_MOD_AB_SEC0_SrcBIncr", 8)
    config.set_field(core, 2, "ADDR_MOD_AB_SEC1_SrcBIncr", 16)
    config.set_field(core, 2, "ADDR_MOD_AB_SEC1_SrcBCR", 1)
    seen = []
    for number in (0, 0, 1, 0, 1):
        apply_addr_mod(core, 2, number)
        seen.append((core.threads[2].rows.srcb, core.threads[2].rows.srcb_cr))
    assert seen == [(8, 0), (16, 0), (16, 16), (24, 16), (32, 32)]


def test_random_modifiers_move_the_packers_counters_as_the_model_does() -> None:
    draw = random.Random(2)
    core = made()
    for _ in part(range(10_000), 1_000):
        issuer, number, channel = draw.randrange(3), draw.randrange(4), draw.randrange(2)
        whose = [t for t in range(3) if draw.random() < 0.5]
        for word in range(31, 35):
            core.threads[issuer].config[word] = draw.getrandbits(16)
        for own in core.threads:
            for d, top in enumerate((0x3FFFF, 0x1FFF, 0xFF, 0xFF)):
                own.adc[2, :, d] = [[draw.randint(0, top) for _ in range(2)] for _ in range(2)]
        before = [own.adc.copy() for own in core.threads]
        end = ("src", "dst")[channel]
        get = {
            f: config.field(core, issuer, f"ADDR_MOD_PACK_SEC{number}_{f[0]}{end}{f[1:]}")
            for f in ("YIncr", "YCR", "YClear", "ZIncr", "ZClear")
        }
        apply_pack_addr_mod(core, issuer, number, whose, channel)
        for t in range(3):
            wanted = before[t].tolist()
            if t in whose:
                mine = wanted[2][channel]
                (y, y_cr), (z, z_cr) = mine[1], mine[2]
                if get["YClear"]:
                    mine[1] = [0, 0]
                elif get["YCR"]:
                    mine[1] = [(y_cr + get["YIncr"]) % 8192] * 2
                else:
                    mine[1] = [(y + get["YIncr"]) % 8192, y_cr]
                mine[2] = [0, 0] if get["ZClear"] else [(z + get["ZIncr"]) % 256, z_cr]
            assert np.array_equal(core.threads[t].adc, wanted)
