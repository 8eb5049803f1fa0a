"""Array files: what is read from them, and what is said of those that hold no array."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from nasm.problems import Failure, Refused
from nasm.session import Session
from nasm.source import Source
from nasm.spec.array_files import file_and_key, read_array

ARRAY = np.arange(600, dtype=np.float32).reshape(20, 30)
OBJECTS = np.array([{"a": 1}, [2]], dtype=object)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a.npy", ("a.npy", "")),
        ("dir/a.npz:w", ("dir/a.npz", "w")),
        ("c:/a.npz:w", ("c:/a.npz", "w")),
        ("a.npz:b.npy", ("a.npz:b.npy", "")),
        ("a.npz", None),
        ("a.npz:", None),
        ("a.npy:w", None),
        ("a.txt", None),
        ("", None),
    ],
)
def test_a_npz_file_has_a_key_and_a_npy_file_none(
    text: str, wanted: tuple[str, str] | None
) -> None:
    assert file_and_key(text) == wanted


def test_an_array_is_read_from_either(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", ARRAY)
    np.savez(tmp_path / "a.npz", w=ARRAY, v=ARRAY.T)
    np.savez_compressed(tmp_path / "b.npz", w=ARRAY)
    assert np.array_equal(read_array(str(tmp_path / "a.npy")), ARRAY)
    assert np.array_equal(read_array(str(tmp_path / "a.npz"), "v"), ARRAY.T)
    assert np.array_equal(read_array(str(tmp_path / "b.npz"), "w"), ARRAY)


def broken(folder: Path) -> None:
    np.save(folder / "whole.npy", ARRAY)
    np.savez(folder / "whole.npz", alpha=ARRAY, beta=ARRAY)
    for name in ("whole.npy", "whole.npz"):
        content = (folder / name).read_bytes()
        (folder / f"cut-{name}").write_bytes(content[: len(content) // 2])
    (folder / "header.npy").write_bytes((folder / "whole.npy").read_bytes()[:40])
    (folder / "text.npy").write_text("1 2 3")
    (folder / "empty.npy").write_bytes(b"")
    np.save(folder / "objects.npy", OBJECTS, allow_pickle=True)
    np.savez(folder / "objects.npz", fine=ARRAY, bad=OBJECTS)
    (folder / "dumped.npy").write_bytes(OBJECTS.dumps())
    with zipfile.ZipFile(folder / "other.npz", "w") as archive:
        archive.writestr("notes.txt", "no array")
    np.savez(folder / "none.npz")


BROKEN = [
    ("cut-whole.npy", "", "is not a readable array file: "),
    ("cut-whole.npz", "alpha", "is not a readable array file: "),
    ("header.npy", "", "is not a readable array file: "),
    ("text.npy", "", "is not a readable array file: it is neither .npy nor .npz"),
    ("empty.npy", "", "is not a readable array file: it is neither .npy nor .npz"),
    ("objects.npy", "", "is not a readable array file: it holds Python objects"),
    ("objects.npz", "bad", "is not a readable array file: it holds Python objects"),
    ("dumped.npy", "", "is not a readable array file: it is neither .npy nor .npz"),
    ("other.npz", "notes.txt", "is not a readable array file: its member notes.txt is no array"),
    ("whole.npz", "alpa", "has no array 'alpa'\ndid you mean 'alpha'?"),
    ("whole.npz", "x", "has no array 'x'\nit holds alpha, beta"),
    ("whole.npz", "", "is an archive of arrays; wanted one of them\nwrite "),
    ("none.npz", "x", "has no array 'x'\nit holds none"),
    (".", "", "is not a readable array file: Is a directory"),
]


@pytest.mark.parametrize(("name", "key", "said"), BROKEN)
def test_what_holds_no_array_is_refused_in_our_words(
    tmp_path: Path, name: str, key: str, said: str
) -> None:
    broken(tmp_path)
    path = str(tmp_path / name)
    with pytest.raises(Refused) as caught:
        read_array(path, key)
    refused = caught.value
    assert refused.code == "E0801"
    assert f"{refused.message}\n{refused.hint}".startswith(f"{path} {said}")
    assert "pickle" not in refused.message


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "gone.npy")
    with pytest.raises(Refused, match=r"^no file .*gone\.npy$"):
        read_array(path)


PROGRAM = """
.target trn1
.hbm A f32[2]{initialiser}
@sync Nop
{expectation}
"""


@pytest.mark.parametrize("name", ["objects.npy", "text.npy", "cut-whole.npy"])
def test_initialisers_inputs_and_golden_files_are_read_alike(tmp_path: Path, name: str) -> None:
    broken(tmp_path)
    source = str(tmp_path / "p.nasm")
    with pytest.raises(Refused) as direct:
        read_array(str(tmp_path / name))
    started = PROGRAM.format(initialiser=f' input = "{name}"', expectation="")
    with pytest.raises(Failure) as loading:
        Session.load(Source(source, started))
    judged = PROGRAM.format(initialiser=" input = iota", expectation=f'.expect A == "{name}"')
    session = Session.load(Source(source, judged))
    with pytest.raises(Failure) as judging:
        session.expectations()
    for caught in (loading, judging):
        (problem,) = caught.value.problems
        assert (problem.code, problem.message) == ("E0801", direct.value.message)
