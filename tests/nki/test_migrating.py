"""Kernels of NKI 0.1 written in today's dialect: the same values, the same instructions."""

from __future__ import annotations

import linecache
import tokenize
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import nasm.nki
from nasm.base.problems import Failure
from nasm.nki.migrating.migrate import migrate
from nasm.nki.migrating.polynomials import Polynomial
from nasm.views.view import View
from tests.tables import each

FILE = Path(__file__).parent / "old" / "kernels.py"
TEXT = FILE.read_text(encoding="utf-8")
RNG = np.random.default_rng(3)


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    return RNG.integers(-8, 9, shape).astype(np.float32)


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "masked_rows": (numbers(40, 12), 3.0),
    "product": (numbers(64, 16), numbers(64, 24)),
    "product_of_nl": (numbers(64, 16), numbers(64, 24)),
    "softmax": (numbers(16, 12),),
    "pooled": (numbers(16, 8, 6),),
    "greatest": (numbers(3, 16, 12),),
    "turned": (numbers(16, 12),),
    "chosen": (numbers(16, 12),),
    "statistics": (numbers(16, 12),),
}


def module(text: str, name: str) -> ModuleType:
    """A text as a module, whose lines are known."""
    made = ModuleType(name)
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    with nasm.nki.installed():
        exec(compile(text, name, "exec"), vars(made))
    return made


OLD = module(TEXT, "old_kernels.py")
MIGRATED = migrate(TEXT, "old_kernels.py")
NEW = module(MIGRATED.text, "new_kernels.py")


def instructions(kernel: Any, args: tuple[Any, ...]) -> list[Any]:
    """Each instruction, with the shapes and steps of what it touches."""
    kernel.spills = False  # lowered as today's kernels are: no spills, no other engines
    program = nasm.nki.trace(kernel, *args).program
    return [
        (one.row.name, *(_shown(value) for value in one.operands)) for one in program.instructions
    ]


def _shown(value: Any) -> Any:
    if isinstance(value, View):
        memory = value.tensor.memory.name
        steps = tuple(s if n > 1 else 0 for n, s in zip(value.shape, value.steps, strict=True))
        return memory, value.dtype.name, value.shape, steps, value.offset, value.partition
    return repr(value)


@each("name", sorted(ARGUMENTS))
def test_values_and_instructions_are_those_of_before(name: str) -> None:
    args = ARGUMENTS[name]
    old, new = getattr(OLD, name), getattr(NEW, name)
    np.testing.assert_array_equal(old(*args), new(*args))
    assert instructions(old, args) == instructions(new, args)


def test_all_of_these_kernels_are_migrated_and_tried() -> None:
    assert not MIGRATED.left
    assert "neuronxcc" not in MIGRATED.text
    kernels = {name for name, value in vars(OLD).items() if hasattr(value, "spills")}
    assert kernels == set(ARGUMENTS)


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(StringIO(text).readline)
    return [one.string for one in tokens if one.type == tokenize.COMMENT]


def test_comments_stay() -> None:
    assert comments(MIGRATED.text) == comments(TEXT)


# ---------------------------------------------------------------- what cannot be

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np

@nki.jit
def kernel(x):
    p, f = nl.mgrid[0:16, 0:12]
"""

LEFT = {
    "nl.atomic_rmw(x[p, f], nl.load(x[p, f]), np.add)": "nl.atomic_rmw",
    "i = nl.program_id(0)": "today an instance of a kernel is a core",
    "t = nl.load(x[p, f], mask=p < f)": "a mask that relates two axes to each other",
    "t = nl.load(x[p, f // 2])": "an index that is no sum of vectors times numbers",
    "t = nisa.local_gather(x, p, 2, 4)": "nisa.local_gather",
    "t = nl.load(x[nl.load(x[p, f]), f])": "an index that a tile decides",
    "t = nl.load(x[p, 0:4])": "slices and index vectors in one index",
    "t = nl.load(x[p, f], mask=p > 3)": "a mask that leaves out the beginning of an axis",
    "t = len(p)": "an index vector or a mask as a value",
    "t = [nisa.iota(p + f, dtype=nl.int32) for _ in range(2)]": "an instruction in a comprehension",
    "t = nl.mod(nl.load(x[p, f]), 2)": "nl.mod",
    "b = nki.benchmark(kernel)": "nki.benchmark",
    "o = nki.compiler.sbuf.mod_alloc": "a function that places tiles",
}


@each("line", sorted(LEFT))
def test_what_has_no_counterpart_stays_with_its_reason(line: str) -> None:
    made = migrate(f"{HEAD}    {line}  # here\n    return x\n", "old.py")
    (problem,) = made.left
    assert LEFT[line] in problem.message
    assert problem.span is not None
    assert problem.span.line == HEAD.count("\n") + 1
    assert f"    # NKI 0.1: {problem.message.removeprefix('not migrated: ')}\n" in made.text
    assert f"    {line}  # here\n" in made.text


WRONG: dict[str, tuple[str, str]] = {
    "import numpy as np\n": ("E0650", "imports nothing of neuronxcc.nki"),
    "def kernel(:\n": ("E0656", "SyntaxError"),
}


@each("text", sorted(WRONG))
def test_what_is_no_file_of_the_dialect_is_refused(text: str) -> None:
    with pytest.raises(Failure) as failure:
        migrate(text, "old.py")
    (problem,) = failure.value.problems
    code, message = WRONG[text]
    assert problem.code == code
    assert message in problem.message


# ---------------------------------------------------------------- sums of products

SUMS = {
    "i * 128 + 64 - i * 128": "64",
    "(i + 1) * n - i * n": "n",
    "2 * (a - b) + b": "2 * a - b".replace("2 * a", "a * 2"),
    "n // 2 + n // 2": "(n // 2) * 2",
    "x.shape[1] * 4 - 3": "x.shape[1] * 4 - 3",
}


@each("text", sorted(SUMS))
def test_sums_of_products(text: str) -> None:
    assert str(Polynomial.parsed(text)) == SUMS[text]
