"""How the bytes of a program become its text."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.base.source_files import source_of

TEXT = ".target trn2\r\n.hbm  X  f32[4]  output = zeros\r\n"


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_in_front_of_a_program_is_no_part_of_it(
    tmp_path: Path, start: bytes
) -> None:
    path = tmp_path / "made.nasm"
    path.write_bytes(start + TEXT.encode())
    assert source_of(path).text == TEXT.replace("\r\n", "\n")
    assert list(nasm.assemble(path).tensors) == ["X"]
    assert list(nasm.assemble(start.decode() + TEXT).tensors) == ["X"]


@pytest.mark.parametrize("verb", ["check", "run"])
def test_standard_input_may_begin_with_one(
    ran: Any, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    given = io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + TEXT.encode()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", given)
    assert ran(verb, "-").code == 0


def test_one_within_a_program_is_refused_by_its_name() -> None:
    with pytest.raises(Failure) as caught:
        nasm.assemble(".target trn2\n.hbm \ufeffX f32[4]\n")
    (problem,) = caught.value.problems
    assert problem.code == "E0123"
    assert problem.message == "U+FEFF (a byte-order mark) has no meaning here"
    assert problem.hint == "it cannot be seen: delete it, or write it in a string"


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("utf-16", "UTF-16"), ("utf-16-le", "UTF-16"), ("utf-16-be", "UTF-16"), ("utf-32", "UTF-32")],
)
def test_another_encoding_is_called_by_its_name(tmp_path: Path, encoding: str, said: str) -> None:
    path = tmp_path / "made.nasm"
    path.write_bytes(TEXT.encode(encoding))
    with pytest.raises(Failure) as caught:
        source_of(path)
    (problem,) = caught.value.problems
    assert problem.message == f"{path} is {said}; wanted UTF-8 text"
    assert problem.hint == "save it as UTF-8"


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "made.nasm"
    path.write_bytes(b".target trn2 ; \xe9\n")
    with pytest.raises(Failure, match="is not UTF-8 text"):
        source_of(path)


def test_a_lone_carriage_return_ends_a_line_too(tmp_path: Path) -> None:
    path = tmp_path / "made.nasm"
    path.write_bytes(b".target trn2\r.const N = 1\r")
    assert nasm.assemble(path).constants == {"N": 1}


@pytest.mark.parametrize("given", [0, True, None, b"p.nasm", ["p.nasm"]])
def test_what_is_no_text_and_no_path_is_no_program(given: Any) -> None:
    with pytest.raises(TypeError, match=r"a program is a text \(str\) or a path, not "):
        nasm.run(given)


@pytest.mark.parametrize("name", [1, b"X", None, ("X",), "X" * 1000])
def test_the_name_of_an_input_may_be_anything_but_is_then_unknown(name: Any) -> None:
    with pytest.raises(Failure, match="E0803") as caught:
        nasm.run(".target trn1\n", inputs={name: [1.0]})
    assert len(str(caught.value)) < 200
