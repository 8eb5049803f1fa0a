"""``--hoist`` and ``--no-hoist``: what is left out of a kernel, in the report and in the text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nasm

KERNEL = """
import nki, nki.isa as nisa, nki.language as nl

@nki.jit
def kernel(x, y):
    out = nl.ndarray(y.shape, nl.float32, nl.shared_hbm)
    for i in range(3):
        tile = nl.load(x)
        nl.store(out[i], nl.add(tile, nl.load(y[i])))
    return out
"""


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    path = tmp_path / "again.py"
    path.write_text(KERNEL)
    return f"{path}:kernel"


def given(*more: str) -> list[str]:
    return ["--in", "x=normal[32,8]", "--in", "y=normal[3,32,8]", *more]


def test_kernels_of_today_are_executed_call_by_call_unless_asked(ran: Any, kernel: str) -> None:
    plain = ran("nki", kernel, *given())
    assert plain.code == 0
    assert "E0658" not in plain.out + plain.err
    assert ran("nki", kernel, *given("--no-hoist")).out == plain.out


def test_the_report_names_the_line_and_the_text_what_is_reused(ran: Any, kernel: str) -> None:
    done = ran("nki", kernel, *given("--hoist"))
    assert done.code == 0
    said = done.out + done.err
    assert "note[E0658]: 2 of 3 calls here compute what an earlier one of them has" in said
    assert "again.py:8:" in said
    text = ran("print", kernel, *given("--hoist")).out
    assert "again.py:8  tile = nl.load(x)  (reused for 2 calls of line 8)" in text
    assert nasm.run(nasm.assemble(text)).ok


def test_a_script_is_run_with_it(ran: Any, kernel: str) -> None:
    path = Path(kernel.rpartition(":")[0])
    path.write_text(
        f"{KERNEL}\nimport numpy as np\nkernel(np.ones((32, 8), 'f4'), np.ones((3, 32, 8), 'f4'))\n"
    )
    plain, hoisted = ran("nki", path).err, ran("nki", path, "--hoist").err
    assert instructions(hoisted) < instructions(plain)


def instructions(said: str) -> int:
    """The count of ``kernel: 18 instructions in …``."""
    return int(said.rpartition("kernel: ")[2].split()[0])
