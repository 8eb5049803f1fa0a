"""A kernel at the debugger's prompt: lines of its files, and values on the way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nasm
import nasm.nki
from nasm.base.problems import Refused

KERNEL = Path(__file__).parents[2] / "programs" / "nki" / "rmsnorm.py"


def session() -> nasm.Session:
    kernels = nasm.nki.module(str(KERNEL))
    x, w = np.ones((128, 8), np.float32) * 3, np.ones((1, 8), np.float32)
    traced = nasm.nki.trace(kernels.rmsnorm, x, w)
    return nasm.Session(traced.program, dict(traced.inputs))


def line_of(text: str) -> int:
    lines = KERNEL.read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


def test_a_line_of_a_kernels_file_is_a_location() -> None:
    held, line = session(), line_of("op=nl.rsqrt")
    held.break_at(f"rmsnorm.py:{line}")
    held.run()
    assert held.read("total").tolist()[0] == [72.0]  # eight squares of 3
    assert held.read("factor").tolist()[0] == pytest.approx([9.000001])  # not yet its root
    with pytest.raises(Refused, match=r"no file .other\.py.") as refused:
        held.break_at("other.py:3")
    assert "rmsnorm.py" in refused.value.hint
