"""How the bytes of a program become its text."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

import nasm
from nasm.problems import Failure
from nasm.source_files import source_of

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
