"""Values in files: whole or not at all, and never over what is there."""

from __future__ import annotations

import os
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from nasm import Failure
from nasm.base.files import Allowed
from nasm.base.problems import Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.debugger.values import writing
from tests.debugger.test_statistics import value
from tests.repl.conftest import COUNTDOWN
from tests.toy.target import TARGETS

ANY = Allowed()


def test_a_tensor_and_what_is_computed(tmp_path: Path) -> None:
    session = Session.load(Source("toy.nasm", COUNTDOWN), targets=TARGETS)
    done = session.expressions.write("X[1:3]", str(tmp_path / "x.npy"))
    assert (done.dtype, done.stored_as, done.shape, done.unknown) == (
        "float32",
        "float32",
        (2, 2),
        0,
    )
    assert np.load(tmp_path / "x.npy").tolist() == [[2, 3], [4, 5]]
    session.expressions.write("X[0] > 0", str(tmp_path / "c.npz:held"))
    with np.load(tmp_path / "c.npz") as archive:
        assert archive["held"].tolist() == [False, True]
    assert session.expressions.write("x + 1", str(tmp_path / "y.npy")).unknown == 8
    with pytest.raises(Failure, match="nothing is called"):
        session.expressions.write("Z", str(tmp_path / "z.npy"))


def test_what_numpy_lacks_is_written_as_its_bits(tmp_path: Path) -> None:
    half = np.array([1.0, -2.0], ml_dtypes.bfloat16)
    assert writing.write(value(half), str(tmp_path / "h.npy"), ANY).stored_as == "uint16"
    assert np.load(tmp_path / "h.npy").tolist() == [0x3F80, 0xC000]


def test_an_archive_is_named_after_what_is_in_it(tmp_path: Path) -> None:
    writing.write(value(np.float32(3)), str(tmp_path / "t.npz"), ANY)
    with np.load(tmp_path / "t.npz") as archive:
        assert archive["t"].shape == ()
        assert archive["t"] == 3


@pytest.mark.parametrize("name", ["a.npy", "a.npz:x"])
def test_nothing_is_written_over_unless_asked_for(tmp_path: Path, name: str) -> None:
    path = tmp_path / name.partition(":")[0]
    path.write_bytes(b"precious")
    with pytest.raises(Refused, match="exists already") as caught:
        writing.write(value(np.float32([1])), str(tmp_path / name), ANY)
    assert caught.value.hint == f'write t "{tmp_path / name}" replace'
    assert path.read_bytes() == b"precious"
    writing.write(value(np.float32([1])), str(tmp_path / name), ANY, over=True)
    assert path.read_bytes() != b"precious"
    assert os.listdir(tmp_path) == [path.name]


def test_a_link_to_nowhere_counts_as_there(tmp_path: Path) -> None:
    (tmp_path / "a.npy").symlink_to(tmp_path / "b.npy")
    with pytest.raises(Refused, match="exists already"):
        writing.write(value(np.float32([1])), str(tmp_path / "a.npy"), ANY)


def test_what_fails_half_way_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(out: object, *_: object) -> None:
        out.write(b"half")  # type: ignore[attr-defined]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "_put", full)
    (tmp_path / "a.npy").write_bytes(b"precious")
    for over in (True, False):
        with pytest.raises(Refused, match=r"No space left|exists"):
            writing.write(value(np.float32([1])), str(tmp_path / "a.npy"), ANY, over)
    with pytest.raises(Refused, match="No space left"):
        writing.write(value(np.float32([1])), str(tmp_path / "b.npy"), ANY)
    assert os.listdir(tmp_path) == ["a.npy"]
    assert (tmp_path / "a.npy").read_bytes() == b"precious"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.txt", "no name for an array file"),
        ("", "no name for an array file"),
        (".npy", "no name for an array file"),
        ("no/such/a.npy", "No such file or directory"),
        ("a\0b.npy", "null"),
        ("x" * 300 + ".npy", "too long"),
    ],
)
def test_what_cannot_be_written_is_said(tmp_path: Path, name: str, said: str) -> None:
    path = f"{tmp_path}/{name}" if name else ""
    with pytest.raises(Refused, match=said):
        writing.write(value(np.float32([1])), path, ANY)
    assert os.listdir(tmp_path) == []


def test_files_are_written_only_where_a_program_may_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    inside = Allowed.of(tmp_path / "in")
    writing.write(value(np.float32([1])), str(tmp_path / "in" / "a.npy"), inside)
    for files, name in (
        (inside, "a.npy"),
        (inside, "in/../a.npy"),
        (Allowed.of(False), "in/b.npy"),
    ):
        with pytest.raises(Refused, match="may not be written"):
            writing.write(value(np.float32([1])), str(tmp_path / name), files)
    assert sorted(os.listdir(tmp_path)) == ["in"]
    assert os.listdir(tmp_path / "in") == ["a.npy"]
