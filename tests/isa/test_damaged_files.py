"""Thousands of damaged array files: each gives the wanted array or is refused with its name."""

from __future__ import annotations

import io
import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import nasm
from nasm.base import dtypes
from nasm.base.problems import Failure
from nasm.machine import Machine, tensor_io
from nasm.program.program import Program
from tests.parts import part

FILES = 9_000
SHAPE = (3, 5)

WORDS = (
    *(b"'descr'", b"'shape'", b"'fortran_order'", b"True", b"False", b"(3, 5)", b"(5, 3)", b"(3,)"),
    *(b"(True, 5)", b"(18446744073709551616, 5)", b"(-3, 5)", b"(3, 5, )", b"0x3", b"(" * 99),
    *(b"'<f4'", b"'|O'", b"'<V2'", b"'<U5'", b"'\\d'", b"[('a', '<f4')]", b"{", b"}", b"\0", b","),
)


def npy(array: np.ndarray, version: tuple[int, int] = (1, 0)) -> bytes:
    held = io.BytesIO()
    np.lib.format.write_array(held, array, version=version)
    return held.getvalue()


def flipped(content: bytearray, random: random.Random) -> None:
    """Bits of the first bytes, of the last ones or of any."""
    start, end = random.choice([(0, 128), (0, len(content)), (len(content) - 200, len(content))])
    for _ in range(random.randint(1, 6)):
        at = random.randrange(max(0, start), min(end, len(content)))
        content[at] ^= 1 << random.randrange(8)


def cut(content: bytearray, random: random.Random) -> None:
    del content[random.randrange(len(content)) :]


def lengthened(content: bytearray, random: random.Random) -> None:
    content += random.randbytes(random.choice([1, 2, 60, 5_000]))


def edited(content: bytearray, random: random.Random) -> None:
    """A word of a header where another was; blanks make up for its length."""
    old = random.choice([word for word in WORDS if word in content] or [b""])
    new = random.choice(WORDS)
    at = content.find(old) if old else random.randrange(len(content))
    content[at : at + len(old)] = new
    more, end = len(new) - len(old), content.find(b"\n", at)
    if more < 0:
        content[end:end] = b" " * -more
    elif content[end - more : end].isspace():
        del content[end - more : end]


def moved(content: bytearray, random: random.Random) -> None:
    """A piece that is taken out, or put in somewhere else as well."""
    start = random.randrange(len(content))
    piece = content[start : start + random.randint(1, 64)]
    if random.random() < 0.5:
        del content[start : start + len(piece)]
    at = random.randrange(len(content) + 1)
    content[at:at] = piece


def counted_wrong(content: bytearray, random: random.Random) -> None:
    """A field of two, four or eight bytes with another number in it."""
    width = random.choice([2, 4, 8])
    at = random.randrange(len(content))
    number = random.choice([0, 1, 7, 2**15, 2 ** (8 * width - 1), 2 ** (8 * width) - 1])
    content[at : at + width] = number.to_bytes(width, "little")


DAMAGES: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flipped, cut, lengthened, edited, moved, counted_wrong,
)  # fmt: skip


def files(dtype: dtypes.DType) -> Iterator[tuple[str, bytes]]:
    """Whole files, and how a program names what is in them."""
    values = np.arange(15).reshape(SHAPE).astype(dtype.numpy)
    array = dtypes.npy_storable(values, dtype)
    yield "a.npy", npy(array)
    yield "a.npy", npy(np.asfortranarray(array), (2, 0))
    yield "a.npy", npy(array.astype(array.dtype.newbyteorder(">")), (3, 0))
    for save in (np.savez, np.savez_compressed):
        held = io.BytesIO()
        save(held, w=array, other=np.zeros(3))
        yield "a.npz:w", held.getvalue()


def loaded(program: Program, machine: Machine) -> str:
    """The code of the problem of loading it, or an empty string."""
    try:
        tensor_io.load(program, machine.addresses, {})
    except Failure as failure:
        (problem,) = failure.problems
        assert str(program.tensors["A"].init.path) in problem.message  # type: ignore[attr-defined]
        assert "pickle" not in str(problem)
        return problem.code
    return ""


@pytest.mark.parametrize("name", part(list(dtypes.DTYPES), 2))
def test_a_damaged_file_gives_an_array_or_is_refused_with_its_name(
    tmp_path: Path, name: str
) -> None:
    chosen = random.Random(f"damage {name}")
    outcomes = {"": 0, "E0801": 0, "E0804": 0}
    originals = list(files(dtypes.DTYPES[name]))
    each = FILES // len(dtypes.DTYPES) // len(originals)
    for spelling, whole in originals:
        source = nasm.base.source.Source(
            str(tmp_path / "p.nasm"), f'.target trn2\n.hbm A {name}[3, 5] input = "{spelling}"\n'
        )
        program = nasm.assemble(source)
        machine = Machine(program)
        path = tmp_path / spelling.partition(":")[0]
        path.write_bytes(whole)
        assert loaded(program, machine) == ""
        for _ in range(each):
            content = bytearray(whole)
            for _ in range(chosen.choice([1, 1, 1, 2, 4])):
                if content:
                    chosen.choice(DAMAGES)(content, chosen)
            path.write_bytes(content)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                outcomes[loaded(program, machine)] += 1
    assert outcomes["E0801"] > sum(outcomes.values()) / 2
    assert outcomes[""] > 0, "some damage goes unseen: to the elements of a .npy file"
