"""Instructions of the vector unit on random register files, against the scalar model.

Run as ``python -m tests.tensix.lanes.compare --count 10000 --seed 1 [mnemonic ...]``.
"""

from __future__ import annotations

import argparse
import inspect
from dataclasses import asdict
from typing import Any

import numpy as np

from nasm.targets.tensix.lanes import (
    arithmetic,
    configuration,
    conversions,
    dst_access,
    float_fields,
    integers,
    permutations,
    predication,
    tables,
)
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.state import Coprocessor
from tests.tensix.lanes.model import Model

FUNCTIONS = {
    name: made
    for module in (
        arithmetic, configuration, conversions, dst_access, float_fields, integers, permutations,
        predication, tables,
    )
    for name, made in vars(module).items()
    if name.startswith("SFP") and name != "SFPNOP"
}  # fmt: skip
"""What is compared, by mnemonic: all but SFPLOADMACRO, which has tests of its own."""

SPECIAL = np.array(
    [0, 1 << 31, 1, 0x80000001, 0x7FFFFF, 0x807FFFFF, 0x800000, 0x80800000, 0x7F800000, 0xFF800000,
     0x7F800001, 0xFF800001, 0x7FC00000, 0xFFFFFFFF, 0x7FFFFFFF, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000,
     0xBF800000, 0x3F000000, 0x3EFFFFFF, 0x3FC00000, 0x40000000, 0xC0400000, 0x40800000, 0x47000000,
     0x47800000, 0x42FF0000, 0x437F8000, 2, 0xFFFFFFFE, 31, 32, 0xFFFFFFE0],
    np.uint32,
)  # fmt: skip

WIDTHS = {
    "VA": 4, "VB": 4, "VC": 4, "Imm16": 16, "Imm12": 12, "Imm10": 10, "Imm8": 8, "Imm5": 5,
    "Imm2": 2, "Imm1": 1, "Mod0": 4, "Mod1": 4, "StochasticRounding": 1, "UseImm5": 1,
}  # fmt: skip
MODES = {
    ("SFPSWAP", "Mod1"): range(10),
    ("SFPSHFT2", "Mod1"): range(7),
    ("SFP_STOCH_RND", "Mod1"): range(8),
    ("SFPLOADI", "Mod0"): (0, 1, 2, 4, 8, 10),
}
"""Where not all values of a field are defined."""

_REACHES_16 = frozenset(FUNCTIONS) - {"SFPLOAD", "SFPLOADI", "SFPCONFIG"}


class Flat:
    """L1, of which nothing here has need."""

    def read(self, address: int, count: int) -> Any:
        raise NotImplementedError

    def write(self, address: int, data: Any) -> None:
        raise NotImplementedError


def words(rng: np.random.Generator, *shape: int) -> Any:
    """Random bits, floats near 1, small integers and special values."""
    kinds = np.stack(
        (
            rng.integers(0, 1 << 32, shape, np.uint32),
            rng.standard_normal(shape).astype(np.float32).view(np.uint32),
            rng.integers(-40, 40, shape).astype(np.int32).view(np.uint32),
            rng.choice(SPECIAL, shape),
            rng.integers(0x3E000000, 0x48000000, shape).astype(np.uint32)
            | rng.integers(0, 2, shape).astype(np.uint32) << 31,
        )
    )
    return np.take_along_axis(kinds, rng.integers(0, 5, (1, *shape)), 0)[0]


def coprocessor(rng: np.random.Generator, dst: bool = False) -> Coprocessor:
    """One with random lanes; with random rows of Dst if asked."""
    core = Coprocessor(Flat())
    v = core.vector
    v.registers[:8] = words(rng, 8, 32)
    v.registers[16] = words(rng, 32)
    v.registers[11:15] = np.tile(words(rng, 4, 8), 4)
    v.uses_flag[...] = rng.random(32) < rng.choice([0, 0.5, 1])
    v.flag[...] = rng.random(32) < rng.choice([0.5, 1])
    v.lane_config[...] = rng.integers(0, 1 << 18, 8) & rng.choice([0, 0, 0xFFF, 0x3FFFF])
    v.templates[...], v.sequences[...] = words(rng, 4, 8), words(rng, 4, 8)
    v.macro_misc[...] = words(rng, 8) & 0xFFF
    v.random[...], v.rotated[...] = words(rng, 32), words(rng, 32)
    bits = rng.random((int(rng.integers(9)), 2, 32)) < 0.5
    v.stack = tuple((entry[0].tobytes(), entry[1].tobytes()) for entry in bits)
    if dst:
        core.matrix.dst[...] = rng.integers(0, 1 << 16, (1024, 16))
        core.matrix.defined[...] = rng.random(1024) < 0.5
        own = core.threads[0]
        own.config[0], own.config[1] = (
            rng.integers(0, 2),
            rng.integers(0, 1024) * rng.integers(0, 2),
        )
        own.rows.dst = int(rng.integers(0, 1024) * rng.integers(0, 2))
        core.config[:, 6] = rng.integers(0, 1024) * rng.integers(0, 2)
        core.config[:, 0] = rng.integers(0, 1 << 15, 2)
        core.config[:, 1] = rng.integers(0, 1 << 31, 2)
    return core


def model(core: Coprocessor, quirks: Quirks, dst: bool = False) -> Model:
    """The same state, one element at a time."""
    v = core.vector
    names = {name if on else f"no {name}" for name, on in asdict(quirks).items()}
    made = Model(
        L=v.registers.tolist(),
        flag=v.flag.tolist(),
        uses=v.uses_flag.tolist(),
        stack=[([bool(b) for b in flag], [bool(b) for b in uses]) for flag, uses in v.stack],
        config=v.lane_config.tolist() * 4,
        templates=[row * 4 for row in v.templates.tolist()],
        sequences=[row * 4 for row in v.sequences.tolist()],
        misc=v.macro_misc.tolist() * 4,
        random=v.random.tolist(),
        rotated=v.rotated.tolist(),
        dst=core.matrix.dst.tolist() if dst else [],
        defined=core.matrix.defined.tolist() if dst else [],
        quirks=names,
    )
    if dst:
        own = core.threads[0]
        bank = core.config[int(own.config[0])].tolist()
        made.address, made.offset = own.rows.dst + bank[6], int(own.config[1])
        fmt = bank[0] >> 5 & 15 if bank[0] >> 9 & 1 else bank[1] >> 21 & 15
        made.srcb = 3 if bank[1] >> 30 & 1 else 2 if fmt in (0, 4, 5, 6, 7, 8, 9, 15) else 1
    return made


def fields(rng: np.random.Generator, name: str, stack: int) -> dict[str, int]:
    """Random fields of an instruction that are defined for as many entries on the stack."""
    found: dict[str, int] = {}
    for field, how in list(inspect.signature(getattr(Model, name)).parameters.items())[1:]:
        if how.default is None and rng.random() < 0.8:
            continue  # what macros alone name
        if field == "VD":
            most = 17 if name in _REACHES_16 else 16
            found[field] = int(rng.integers(0, 8 if rng.random() < 0.7 else most))
        elif (name, field) in MODES:
            found[field] = int(rng.choice(MODES[name, field]))
        elif field == "Imm16" and name in ("SFPMULI", "SFPADDI"):
            found[field] = int(words(rng, 1)[0]) >> 16
        else:
            found[field] = int(rng.integers(0, 1 << WIDTHS[field]))
    if name == "SFPPOPC" and not stack:
        found["Mod1"] = found["Mod1"] or 1
    return found


def difference(rng: np.random.Generator, name: str) -> str:
    """Execute an instruction on a random state both ways; what differs, or nothing."""
    dst = name in ("SFPLOAD", "SFPSTORE")
    core = coprocessor(rng, dst)
    quirks = Quirks(
        **{key: bool(rng.random() < 0.3) != on for key, on in asdict(DOCUMENTED).items()}
    )
    given = fields(rng, name, len(core.vector.stack))
    if name == "SFPPUSHC":
        core.vector.stack = core.vector.stack[:7]
    scalar = model(core, quirks, dst)
    said = f"{name} {given} {quirks}"
    getattr(scalar, name)(**given)
    function = FUNCTIONS[name]
    if "quirks" in inspect.signature(function).parameters:
        given["quirks"] = quirks  # type: ignore[assignment]
    if dst:
        given["AddrMod"] = 0
    function(core, 0, **given)
    after = model(core, quirks, dst)
    for part in vars(scalar):
        wanted, found = getattr(scalar, part), getattr(after, part)
        if wanted != found and part not in ("address", "offset", "srcb", "quirks"):
            return f"{said}: {part}: {_first(wanted, found)}"
    return ""


def _first(wanted: Any, found: Any, at: tuple[int, ...] = ()) -> str:
    if not isinstance(wanted, list | tuple) or len(wanted) != len(found):
        return f"at {at} wanted {wanted!r}, found {found!r}"
    i = next(i for i, (a, b) in enumerate(zip(wanted, found, strict=True)) if a != b)
    return _first(wanted[i], found[i], (*at, i))


def main() -> int:
    """Compare as many register files for every instruction; say how many differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("names", nargs="*", default=sorted(FUNCTIONS))
    asked = parser.parse_args()
    bad = 0
    for name in asked.names:
        rng = np.random.default_rng((asked.seed, *name.encode()))
        found = [said for _ in range(asked.count) if (said := difference(rng, name))]
        bad += len(found)
        print(f"{name}: {len(found)} of {asked.count} differ", *found[:3], sep="\n  ")
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
