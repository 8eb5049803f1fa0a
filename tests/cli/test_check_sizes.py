"""``check --for``: a program for all sizes, from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

TEXT = """\
.target trn2
.const N = 4
.sbuf x f32[128, 4]
.sem s
.for k in 0..N
@vector Memset x, value=k  $s++
.end
@scalar TensorScalar x, x, op0=add, operand0=1  $s >= {waits}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "sizes.nasm"
    path.write_text(TEXT.format(waits="N"), encoding="utf-8")
    return path


def test_every_size_in_order_is_a_line(ran: Any, program: Path) -> None:
    found = ran("check", str(program), "--for", "N=1..")
    assert found.code == 0
    assert "sizes.nasm: in order for every N from 1 on (" in found.out


def test_the_smallest_size_out_of_order_fails(ran: Any, program: Path) -> None:
    program.write_text(TEXT.format(waits="min(N, 3)"), encoding="utf-8")
    found = ran("check", str(program), "--for", "N=2..9")
    assert found.code == 1
    assert "sizes.nasm: not in order at N = 4: the smallest such size" in found.out
    assert "hazard[E0502]" in found.err


def test_the_document_says_what_was_proved(ran: Any, program: Path) -> None:
    found = ran("check", str(program), "--for", "N=2.. step 2", "--json")
    (document,) = json.loads(found.out)["files"]
    (sizes,) = document["sizes"]
    assert (sizes["constant"], sizes["first"], sizes["last"], sizes["step"]) == ("N", 2, None, 2)
    assert (sizes["proved"], sizes["reason"], sizes["failing"]) == (True, "", None)
    assert sizes["checked"][:2] == [2, 4]


PARAM = TEXT.replace(".const N = 4", ".param N in 2..9")


def test_a_param_is_checked_for_every_value(ran: Any, program: Path) -> None:
    program.write_text(PARAM.format(waits="N"), encoding="utf-8")
    found = ran("check", str(program))
    assert found.code == 0
    assert "sizes.nasm: ok" in found.out
    assert "sizes.nasm: in order for every N from 2 to 9 (" in found.out
    program.write_text(PARAM.format(waits="min(N, 3)"), encoding="utf-8")
    found = ran("check", str(program))
    assert found.code == 1
    assert "sizes.nasm: not in order at N = 4: the smallest such size" in found.out
    assert ran("check", str(program), "-D", "N=3").code == 0


@pytest.mark.parametrize("value", [1, 10])
def test_a_value_beyond_the_range_of_a_param_is_refused(
    ran: Any, program: Path, value: int
) -> None:
    program.write_text(PARAM.format(waits="N"), encoding="utf-8")
    found = ran("check", str(program), "-D", f"N={value}")
    assert found.code == 2
    assert f"N = {value} is no value of this '.param'" in found.err


@pytest.mark.parametrize("line", [".for i in 0..2\n.param M in 1..4\n.end", ".param M in ..4"])
def test_where_a_param_cannot_be_is_said(ran: Any, program: Path, line: str) -> None:
    program.write_text(f"{PARAM.format(waits='N')}{line}\n", encoding="utf-8")
    assert ran("check", str(program)).code == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["N=5..2"], "--for N=5..2 has no value"),
        (["N"], "wanted NAME=A..B"),
        (["N=1..", "--map"], "--map is of one size"),
        (["N=1..", "--waits"], "--waits is of one size"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    ran: Any, program: Path, given: list[str], said: str
) -> None:
    found = ran("check", str(program), "--for", *given)
    assert found.code == 2
    assert said in found.err


def test_an_object_has_no_sizes(ran: Any, program: Path, tmp_path: Path) -> None:
    made = tmp_path / "sizes.o"
    assert ran("asm", str(program), "-o", str(made)).code == 0
    found = ran("check", str(made), "--for", "N=1..")
    assert found.code == 2
    assert "E0838" in found.err
