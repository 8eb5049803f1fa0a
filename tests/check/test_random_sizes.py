"""What is proved of all sizes, against Python's own evaluation of conditions at each of them.

In a loop of N rounds a line races where a condition on the round and on N holds. Python says at
which N that is, the smallest first.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from nasm.base.source import Source
from nasm.runs.check.size_answer import SizeRange
from nasm.runs.check.sizes import for_all
from nasm.runs.settings import RunSettings

TEXT = """\
.target trn2
.const N = 4, LIST = [N, 7, 30]
.macro racing(j, m=N)
.if {condition}
@gpsimd TensorCopy v, y
.end
.end
.macro passing(j)
racing(j)
.end
.hbm X f32[N, 128, 4] input = iota
.sbuf x f32[128, 4]
.sbuf y f32[128, 4]
.sbuf v f32[128, 4]
.for k in 0..N
@sync DmaCopy x, X[k] after made[k - 1] post load[k]
@vector TensorScalar y, x, op0=add, operand0=1 after load[k] post made[k]
{line}
.end
@vector .drain
"""
INSIDE = ".if {condition}\n@gpsimd TensorCopy v, y\n.end"
MOST = 70
"""Sizes up to this one are evaluated by Python."""

PYTHON: dict[str, Callable[..., object]] = {
    "ceil_div": lambda a, b: -(-a // b), "shape": lambda n, axis: (n, 128, 4)[axis],
}  # fmt: skip
NUMBERS = ("N", "{k}", "shape(X, 0)", "LIST[0]", "LIST[2]", "40", "41", "57", "17")
CONSTANTS = ("2", "3", "9", "40", "LIST[2]")
BINARY = ("+", "-", "*", "//", "%")
COMPARED = ("==", "==", "==", ">", "<")


def number(rng: random.Random, depth: int) -> str:
    """An expression of the round and the size."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(NUMBERS)
    one, other = number(rng, depth - 1), number(rng, depth - 1)
    kind = rng.random()
    if kind < 0.4:
        return f"({one} {rng.choice(BINARY)} {rng.choice(CONSTANTS)})"
    if kind < 0.65:
        return f"({one} {rng.choice(BINARY)} {other})"
    if kind < 0.95:
        return f"{rng.choice(('min', 'max', 'ceil_div'))}({one}, {other})"
    return f"abs({one})"


def condition(rng: random.Random) -> str:
    one, other = number(rng, rng.choice((0, 1, 1, 2))), number(rng, rng.choice((0, 0, 1)))
    made = f"{one} {rng.choice(COMPARED)} {other}"
    if rng.random() < 0.3:
        made += f" {rng.choice(('and', 'or'))} {{k}} {rng.choice(COMPARED)} {number(rng, 1)}"
    return made


def first_wrong(text: str, sizes: range) -> int | None:
    """The smallest size at which the condition holds in a round; raises ZeroDivisionError."""
    for size in sizes:
        names = {"N": size, "X": size, "LIST": [size, 7, 30], "min": min, "max": max, "abs": abs}
        for k in range(size):
            if eval(text.format(k="k"), {"__builtins__": {}}, {**names, **PYTHON, "k": k}):
                return size
    return None


def program(text: str, how: str) -> str:
    line = {"racing": "racing(k)", "passing": "passing(k)", "keyword": "racing(j=k, m=shape(X, 0))"}
    inside = INSIDE.format(condition=text.format(k="k"))
    local = text.format(k="j").replace("shape(X, 0)", "m") if how != "inside" else "j < 0"
    return TEXT.format(condition=local, line=line.get(how, inside))


@pytest.mark.parametrize("seed", range(8))
def test_conditions_hold_at_no_size_that_is_proved(seed: int) -> None:
    judge(seed)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1_000, 1_400))
def test_more_conditions_hold_at_no_size_that_is_proved(seed: int) -> None:
    judge(seed)


def judge(seed: int) -> bool | None:
    """Compare what is found of a random program; returns whether it was proved."""
    rng = random.Random(f"sizes {seed}")
    text = condition(rng)
    how = rng.choice(("inside", "racing", "passing", "keyword"))
    try:
        wrong = first_wrong(text, range(1, MOST + 1))
    except ZeroDivisionError:
        return None
    found = for_all(
        Source("sizes.nasm", program(text, how)), SizeRange("N", 1), RunSettings(), None
    )
    if found.proved:
        assert wrong is None, text
    elif found.failing is not None:
        assert found.failing == wrong, text
    else:
        assert wrong is None or wrong > found.sizes[-1], text
    return found.proved
