"""Random words of the vector unit, and what they do one by one, for whoever does many at once.

Run as ``python -m tests.tensix.lanes.programs --count 10000 --seed 1``.
"""

from __future__ import annotations

import argparse
import inspect
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from nasm.targets.tensix.lanes import replays
from nasm.targets.tensix.lanes.configuration import SFPNOP
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.scheduling import undefined_now
from nasm.targets.tensix.layouts.wormhole import FIELDS
from nasm.targets.tensix.state import Coprocessor
from nasm.targets.tensix.words import WORDS
from tests.tensix.lanes.compare import FUNCTIONS, MODES, coprocessor
from tests.tensix.lanes.compare import words as numbers

BY_OPCODE = {WORDS[name].opcode: name for name in (*FUNCTIONS, "SFPNOP")}
_AB = FIELDS["ADDR_MOD_AB_SEC0_SrcAIncr"].word
_DST = FIELDS["ADDR_MOD_DST_SEC0_DestIncr"].word
_BIAS = FIELDS["ADDR_MOD_BIAS_SEC0_BiasIncr"].word
_SET = FIELDS["ADDR_MOD_SET_Base"].word

PREDICATES = ("SFPSETCC", "SFPENCC", "SFPPUSHC", "SFPPOPC", "SFPCOMPC")
NAMES = sorted(set(FUNCTIONS) - {"SFPLOAD", "SFPSTORE", *PREDICATES})
PLAIN = ("SFPMAD", "SFPADD", "SFPMUL", "SFPMOV", "SFPSHFT", "SFPSETSGN", "SFPIADD", "SFPLUTFP32")
_ZERO = {"StochasticRounding": 0.8, "Imm10": 0.8}
"""How often fields are 0."""


def word(name: str, **fields: int) -> int:
    """A complete word of some fields of the documentation; others are 0."""
    encoding = WORDS[name].encoding
    return encoding.code << 24 | sum(encoding.parts[key].put(n) for key, n in fields.items())


def fields_of(number: int) -> tuple[str, dict[str, int]]:
    """The mnemonic and the fields of a word."""
    name = BY_OPCODE[number >> 24]
    return name, {key: part.get(number) for key, part in WORDS[name].encoding.parts.items()}


def anything(rng: np.random.Generator, name: str, below: int = 8) -> int:
    """A word with random fields: registers mostly below a number, and modes that are defined."""
    found = {}
    for key, part in WORDS[name].encoding.parts.items():
        if (name, key) in MODES:
            found[key] = int(rng.choice(MODES[name, key]))
        elif name == "SFPCONFIG" and key == "VD":
            found[key] = int(rng.integers(11, 15))
        elif key == "VD":
            found[key] = int(rng.integers(0, below if rng.random() < 0.95 else 12))
        elif key in ("VA", "VB", "VC"):
            found[key] = int(rng.integers(0, below if rng.random() < 0.7 else 16))
        elif rng.random() < (0.7 if name in PLAIN else _ZERO.get(key, 0)):
            found[key] = 0
        else:
            found[key] = int(rng.integers(0, 1 << part.width))
        if part.signed:
            found[key] -= (found[key] >> part.width - 1) << part.width
    if name == "SFPSHFT2":
        del found["Imm12" if rng.random() < 0.5 else "VB"]
    return word(name, **found)


def body(rng: np.random.Generator, tame: bool) -> list[int]:
    """Words of a round: loads, computations, predicates, stores.

    Tame ones are as kernels have them: the last store moves on, and nothing else does.
    """
    wild = not tame and rng.random() < 0.6
    found = []
    below = int(rng.integers(2, 9))
    for VD in range(below if not wild else int(rng.integers(0, 3))):
        mode = int(rng.choice([0, 0, 2, int(rng.integers(16))]))
        if rng.random() < 0.6 or not VD:
            how = {"AddrMod": 3 if tame else int(rng.integers(4))}
            how["Imm10"] = int(rng.choice([0, 2, 64, 512]))
            found.append(word("SFPLOAD", VD=VD, Mod0=mode, **how))
        else:
            mode = int(rng.choice([0, 1, 2, 4]))
            found.append(word("SFPLOADI", VD=VD, Mod0=mode, Imm16=int(rng.integers(1 << 16))))
    predicated = rng.random() < 0.4
    if predicated:
        found.insert(int(rng.integers(len(found) + 1)), word("SFPENCC", Imm2=3, Mod1=10))
    for _ in range(int(rng.integers(0, 8))):
        if predicated and rng.random() < 0.4:
            found.append(anything(rng, str(rng.choice(PREDICATES)), below))
        else:
            found.append(anything(rng, str(rng.choice(NAMES if wild else PLAIN)), below))
        if rng.random() < 0.4:
            found.append(word("SFPNOP"))
    if predicated and rng.random() < 0.7:
        found.append(word("SFPENCC", Imm2=3, Mod1=10))
    for _ in range(int(rng.integers(0, 3))):
        found.append(anything(rng, "SFPSTORE", below) | tame * word("SFPSTORE", AddrMod=3))
    if tame:
        found.append(word("SFPSTORE", VD=int(rng.integers(below)), AddrMod=2))
    elif rng.random() < 0.3:
        rng.shuffle(found)
    return found or [word("SFPNOP")]


def rounds(rng: np.random.Generator, words: list[int], times: int) -> list[int]:
    """Words so often: the same, or each time elsewhere in Dst, and now and then once otherwise."""
    by, other = (int(rng.choice(steps)) for steps in ([0, 0, 2, 4, 8, 62], [-1, -1, 1, 3]))
    found = [elsewhere(one, by * n) for n in range(times) for one in words]
    if other >= 0 and times > other:
        at = other * len(words) + int(rng.integers(len(words)))
        VD = WORDS[fields_of(found[at])[0]].encoding.parts.get("VD")
        if VD is not None:
            found[at] = found[at] & ~VD.put(VD.get(-1)) | VD.put(int(rng.integers(8)))
    return found


def elsewhere(number: int, by: int) -> int:
    """A word with another place in Dst, if it has one."""
    if fields_of(number)[0] not in ("SFPLOAD", "SFPSTORE"):
        return number
    return number & ~0x3FF | number + by & 0x3FF


def program(rng: np.random.Generator, tame: bool = False) -> tuple[int, ...]:
    """A prologue, rounds and a rest, or twice that, with SFPNOP where something comes too early."""
    found: list[int] = []
    for _ in range(int(rng.integers(1, 3))):
        around = body(rng, tame), body(rng, tame)
        found += around[0][: int(rng.integers(0, 4))]
        found += rounds(rng, body(rng, tame), int(rng.choice([1, 2, 3, 4, 5, 8, 32])))
        found += around[1][: int(rng.integers(0, 4))]
    spaced: list[int] = []
    for one in found:
        if replays.fit((one,)):
            early = bool(spaced) and replays.fit((spaced[-1], one)) < 2
            spaced += [word("SFPNOP")] * early + [one]
    return tuple(spaced)


def state(rng: np.random.Generator, tame: bool = False) -> Coprocessor:
    """One with random registers and Dst, in which most loads are defined.

    Tame ones move rows by two or more with AddrMod=2, and else by none.
    """
    core = coprocessor(rng, dst=True)
    v, own = core.vector, core.threads[0]
    v.lane_config[...] = 0
    if rng.random() < 0.6:
        v.uses_flag[...] = rng.random() < 0.5
        v.flag[...] = True
    if rng.random() < 0.5:
        v.stack = v.stack[: int(rng.integers(0, 4))]
    core.matrix.defined[...] = rng.random(1024) < rng.choice([1, 1, 1, 0.99])
    bank = core.config[0]
    bank[0] &= ~np.uint32(1 << 9) if rng.random() < 0.5 else np.uint32(0xFFFFFFFF)
    if rng.random() < 0.6:
        bank[1] &= ~np.uint32(1 << 30)
    own.config[_SET] = rng.random() < 0.2
    own.rows.extra_addr_mod = int(rng.random() < 0.2)
    for n in range(8):
        kind = rng.random()
        step = int(rng.choice([0, 2, 4, 8, 16, int(rng.integers(1024))]))
        own.config[_DST + n] = step if kind < 0.8 else rng.integers(1 << 16)
        own.config[_AB + 2 * n] = rng.integers(1 << 16) * rng.integers(2)
        own.config[_BIAS + n] = rng.integers(1 << 5) * (rng.random() < 0.1)
    if tame:
        own.config[_DST : _DST + 8] = 0
        own.config[[_DST + 2, _DST + 6]] = rng.choice([2, 4, 16], 2)
    own.rows.dst_cr, own.rows.srca, own.rows.srca_cr = (int(n) for n in rng.integers(0, 64, 3))
    v.registers[:8] = np.where(rng.random((8, 1)) < 0.5, numbers(rng, 8, 32), v.registers[:8])
    return core


def one_by_one(core: Coprocessor, words: tuple[int, ...], quirks: Quirks) -> bool:
    """Execute words; whether there was nothing to say about one of them."""
    for number in words:
        name, function, given, asks = _taken_apart(number)
        if any(undefined_now(core, 0, name, given, quirks)):
            return False
        function(core, 0, **given, **({"quirks": quirks} if asks else {}))
    return True


@cache
def _taken_apart(number: int) -> tuple[str, Callable[..., None], dict[str, int], bool]:
    """The mnemonic, the function, what of the fields it takes, and whether it asks for quirks."""
    name, fields = fields_of(number)
    function = SFPNOP if name == "SFPNOP" else FUNCTIONS[name]
    accepted = inspect.signature(function).parameters
    return name, function, {k: n for k, n in fields.items() if k in accepted}, "quirks" in accepted


def same(a: Any, b: Any) -> bool:
    """Whether two saved states are equal, bit for bit."""
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and np.array_equal(a, b))
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def difference(rng: np.random.Generator) -> str:
    """Do a random program both ways; what is wrong, or nothing."""
    tame = bool(rng.random() < 0.6)
    core, words = state(rng, tame), program(rng, tame)
    quirks = DOCUMENTED
    if rng.random() < 0.2:
        quirks = Quirks(*(bool(on) for on in rng.integers(0, 2, 7)))
    before = core.save()
    good = one_by_one(core, words, quirks)
    wanted = core.save()
    core.restore(before)
    done = replays.perform(core, 0, words, quirks)
    said = [f"{name} {fields}" for name, fields in map(fields_of, words)]
    if done != good:
        return f"performed: {done}, wanted {good}: {said}"
    if not same(core.save(), wanted if good else before):
        return f"other values, performed: {done}: {said}"
    return ""


def main() -> int:
    """Do as many programs; say how many differ, and how often rounds were evaluated together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    together, perform = replays.execute_batched, replays.perform

    def counted(*args: Any) -> bool:
        done = together(*args)
        counts["together" if done else "not together"] += 1
        return done

    def performed(*args: Any) -> bool:
        done = perform(*args)
        counts["performed" if done else "not performed"] += 1
        return done

    replays.execute_batched, replays.perform = counted, performed
    found = []
    for n in range(asked.count):
        if said := difference(np.random.default_rng((asked.seed, n))):
            found.append(f"{n}: {said[:2000]}")
    print(f"{len(found)} of {asked.count} differ; {dict(counts)}", *found[:3], sep="\n  ")
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
