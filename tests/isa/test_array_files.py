"""Array files: what is read from them, and what is said of those that hold no array."""

from __future__ import annotations

import io
import os
import struct
import threading
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nasm
from nasm.base.array_files import ArrayFile, read_array
from nasm.base.dtypes import DTYPES
from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session

pytestmark = pytest.mark.turns(2)

ARRAY = np.arange(600, dtype=np.float32).reshape(20, 30)
OBJECTS = np.array([{"a": 1}, [2]], dtype=object)
HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"


def anything(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Welcomes every array."""


def read(path: Path | str, key: str = "") -> np.ndarray[Any, Any]:
    return read_array(ArrayFile("", str(path), key), anything)


def refusal(path: Path | str, key: str = "") -> str:
    """What is said of a file, its path left out."""
    with pytest.raises(Refused) as caught:
        read(path, key)
    refused = caught.value
    assert refused.code == "E0801"
    assert str(path) in refused.message
    assert "pickle" not in refused.message
    said = refused.message.removeprefix(f"{path} ")
    said = said.removeprefix("is not a readable array file: ")
    return f"{said}\n{refused.hint}".strip()


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
    found = ArrayFile.written(text, "folder/program.nasm")
    assert found == (wanted and ArrayFile("folder", *wanted))


def test_an_array_is_read_from_either(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", ARRAY)
    np.savez(tmp_path / "a.npz", w=ARRAY, v=ARRAY.T)
    np.savez_compressed(tmp_path / "b.npz", w=ARRAY)
    assert np.array_equal(read(tmp_path / "a.npy"), ARRAY)
    assert np.array_equal(read(tmp_path / "a.npz", "v"), ARRAY.T)
    assert np.array_equal(read(tmp_path / "b.npz", "w"), ARRAY)


KEPT = [
    np.asfortranarray(ARRAY),
    ARRAY.astype(">f4"),
    ARRAY[0, 0],
    ARRAY[:0],
    ARRAY > 3,
    np.arange(5, dtype=">i8"),
    *(np.arange(4).astype(d.numpy).view(d.bits_dtype) for d in DTYPES.values()),
]


@pytest.mark.parametrize("array", KEPT, ids=lambda a: f"{a.dtype.str}{a.shape}")
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_what_is_read_is_what_numpy_reads(tmp_path: Path, array: Any, version: Any) -> None:
    with open(tmp_path / "a.npy", "wb") as stream:
        np.lib.format.write_array(stream, np.asanyarray(array), version=version)
    found, wanted = read(tmp_path / "a.npy"), np.load(tmp_path / "a.npy")
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.tobytes() == wanted.tobytes()
    assert found.flags.f_contiguous == wanted.flags.f_contiguous


@pytest.mark.parametrize("name", ["bfloat16", "float8_e3m4", "float8_e5m2", "float8_e8m0fnu"])
def test_arrays_of_ml_dtypes_are_read_as_numpy_writes_them(tmp_path: Path, name: str) -> None:
    # NumPy itself does not read the header that it writes for float8_e5m2: '<f1'
    array = np.array([1, 2, 4], getattr(ml_dtypes, name))
    np.save(tmp_path / "a.npy", array)
    source = Source(str(tmp_path / "p.nasm"), f'.target trn2\n.hbm A {name}[3] input = "a.npy"\n')
    assert Session.load(source).read("A").tobytes() == array.tobytes()


def npy(header: str | bytes = HEADER, data: bytes = b"\0" * 8, version: int = 1) -> bytes:
    text = header.encode() if isinstance(header, str) else header
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes((version, 0)) + length + text + data


@pytest.mark.parametrize(
    "header",
    [
        "{'descr':'<f4','fortran_order':False,'shape':(2,)}",
        '{"shape": (2,), "descr": "<f4", "fortran_order": False}\n',
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }",
        "{ 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2 , ) , }     \n",
    ],
)
def test_headers_that_other_tools_write_are_read(tmp_path: Path, header: str) -> None:
    (tmp_path / "a.npy").write_bytes(npy(header))
    assert read(tmp_path / "a.npy").shape == (2,)


NONE = "its header is none of .npy"
HEADERS = [
    ("", NONE),
    ("{", NONE),
    (HEADER[:-1], NONE),
    (HEADER * 2, NONE),
    (HEADER.replace("(2,)", "(True,)"), NONE),
    (HEADER.replace("(2,)", "(-2,)"), NONE),
    (HEADER.replace("(2,)", "(2)"), NONE),
    (HEADER.replace("(2,)", "[2]"), NONE),
    (HEADER.replace("(2,)", "(2.0,)"), NONE),
    (HEADER.replace("(2,)", "(02,)"), NONE),
    (HEADER.replace("(2,)", f"({2**64},)"), NONE),
    (
        HEADER.replace("(2,)", f"({10**18},)"),
        f"it holds 8 bytes of elements, wanted {4 * 10**18:,}",
    ),
    (HEADER.replace("(2,)", f"({'1,' * 65})"), "its shape has 65 axes, wanted at most 64"),
    (HEADER.replace("False", "0"), NONE),
    (HEADER.replace("'<f4'", "4"), NONE),
    (HEADER.replace("shape", "shapes"), NONE),
    (HEADER.replace("'shape'", "'descr'"), NONE),
    (HEADER.replace("}", "'x': 1}"), NONE),
    (HEADER.replace("'<f4'", "'\\d'"), NONE),  # an escape that Python warns of
    (HEADER.replace("'<f4'", "[('a', '<f4')]"), "it holds records, wanted numbers"),
    (HEADER.replace("<f4", "|O"), "it holds Python objects"),
    (HEADER.replace("<f4", "<f3"), "its header names no dtype of numbers: '<f3'"),
    (HEADER.replace("<f4", "a4"), "its header names no dtype of numbers: 'a4'"),
    (HEADER.replace("<f4", "<M8[s]"), "its header names no dtype of numbers: '<M8[s]'"),
    (HEADER.replace("<f4", "V0"), "its header names no dtype of numbers: 'V0'"),
    ("(" * 9_000, NONE),  # too deep for Python's parser
    ("{" + " " * 9_998, NONE),
    (" " * 10_001, "its header has 10,001 bytes, wanted at most 10,000"),
]


@pytest.mark.parametrize(("header", "said"), HEADERS)
def test_a_header_that_is_none_is_reported(tmp_path: Path, header: str, said: str) -> None:
    (tmp_path / "a.npy").write_bytes(npy(header))
    assert refusal(tmp_path / "a.npy") == said


CONTENTS = [
    (npy(data=b"\0" * 7), "it holds 7 bytes of elements, wanted 8"),
    (npy(data=b"\0" * 9), "it holds 9 bytes of elements, wanted 8"),
    (npy()[:7], "it ends within its header"),
    (npy()[:9], "it ends within its header"),
    (npy()[:40], "it ends within its header"),
    (npy(version=4), "its version is 4.0, wanted 1.0, 2.0 or 3.0"),
    (npy(b"\xff", version=3), "its header is not UTF-8"),
    (b"\x93NUMPY\x01\x01" + npy()[8:], "its version is 1.1, wanted 1.0, 2.0 or 3.0"),
    (
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff",
        "its header has 4,294,967,295 bytes, wanted at most 10,000",
    ),
]


@pytest.mark.parametrize(("content", "said"), CONTENTS, ids=[said for _, said in CONTENTS])
def test_too_few_and_too_many_bytes_are_counted(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "a.npy").write_bytes(content)
    assert refusal(tmp_path / "a.npy") == said
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("w.npy", content)
    assert refusal(tmp_path / "a.npz", "w") == said


def test_what_is_not_wanted_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(npy(HEADER.replace("(2,)", "(2, 3)"), b""))
    seen: list[Any] = []

    def unwanted(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        seen.append((shape, dtype))
        raise Refused("E0804", "unwanted")

    with pytest.raises(Refused, match="unwanted"):
        read_array(ArrayFile(str(tmp_path), "a.npy"), unwanted)
    assert seen == [((2, 3), np.float32)]


def broken(folder: Path) -> None:
    np.save(folder / "whole.npy", ARRAY)
    np.savez(folder / "whole.npz", alpha=ARRAY, beta=ARRAY)
    for name in ("whole.npy", "whole.npz"):
        content = (folder / name).read_bytes()
        (folder / f"cut-{name}").write_bytes(content[: len(content) // 2])
    (folder / "text.npy").write_text("1 2 3")
    (folder / "empty.npy").write_bytes(b"")
    np.save(folder / "objects.npy", OBJECTS, allow_pickle=True)
    np.savez(folder / "objects.npz", fine=ARRAY, bad=OBJECTS)
    (folder / "dumped.npy").write_bytes(OBJECTS.dumps())
    with zipfile.ZipFile(folder / "other.npz", "w") as archive:
        archive.writestr("notes.txt", "no array")
        archive.writestr("bare", npy())
        archive.write(folder / "whole.npz", "inner.npz")
        archive.writestr("lzma.npy", npy(), zipfile.ZIP_LZMA)
        archive.writestr("both", npy())
        archive.writestr("both.npy", npy())
    np.savez(folder / "none.npz")
    np.savez(folder / "many.npz", **{f"a{n}": np.zeros(1) for n in range(2_000)})
    (folder / "folder.npy").mkdir()
    os.mkfifo(folder / "pipe.npy")
    (folder / "loop.npy").symlink_to("loop.npy")
    (folder / "null.npy").symlink_to(os.devnull)


NEITHER = "it is neither .npy nor .npz"
BROKEN = [
    ("cut-whole.npy", "", "it holds 1,136 bytes of elements, wanted 2,400"),
    ("cut-whole.npz", "alpha", "its list of members is damaged"),
    ("text.npy", "", NEITHER),
    ("empty.npy", "", NEITHER),
    ("objects.npy", "", "it holds Python objects"),
    ("objects.npz", "bad", "it holds Python objects"),
    ("dumped.npy", "", NEITHER),
    ("other.npz", "notes.txt", "its member notes.txt is no array"),
    ("other.npz", "inner.npz", "its member inner.npz is no array"),
    ("other.npz", "lzma", "its member lzma is compressed otherwise than by Deflate"),
    ("other.npz", "both", "it holds 2 arrays called both"),
    ("whole.npz", "alpa", "has no array 'alpa'\ndid you mean 'alpha'?"),
    ("whole.npz", "x", "has no array 'x'\nit holds alpha, beta"),
    ("whole.npz", "", "is an archive of arrays; wanted one of them\nwrite "),
    ("none.npz", "x", "has no array 'x'\nit holds none"),
    (
        "many.npz",
        "x",
        f"has no array 'x'\nit holds {', '.join(f'a{n}' for n in range(10))} and 1,990",
    ),
    ("folder.npy", "", "Is a directory"),
    ("pipe.npy", "", "it is a pipe"),
    ("null.npy", "", "it is a device"),
    ("loop.npy", "", "Too many levels of symbolic links"),
    ("gone\0.npy", "", "no file "),
    ("gone.npy", "", "no file "),
]


@pytest.mark.parametrize(("name", "key", "said"), BROKEN)
def test_what_holds_no_array_is_refused_in_our_words(
    tmp_path: Path, name: str, key: str, said: str
) -> None:
    broken(tmp_path)
    assert refusal(tmp_path / name, key).startswith(said)


def test_a_member_is_found_with_and_without_its_ending(tmp_path: Path) -> None:
    broken(tmp_path)
    assert read(tmp_path / "other.npz", "bare").shape == (2,)


def patched(path: Path, mark: bytes, at: int, value: bytes) -> None:
    """Change a field of every entry of an archive that has this signature."""
    content, start = bytearray(path.read_bytes()), 0
    while (start := content.find(mark, start)) >= 0:
        content[start + at : start + at + len(value)] = value
        start += 4
    path.write_bytes(content)


LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
PATCHES = [
    ([(LOCAL, 6, b"\1"), (CENTRAL, 8, b"\1")], "its member w is encrypted"),
    ([(CENTRAL, 10, b"\x63")], "its member w is compressed otherwise than by Deflate"),
    ([(LOCAL, 14, b"abcd"), (CENTRAL, 16, b"abcd")], "its member w is damaged"),
    ([(CENTRAL, 24, struct.pack("<I", 2**31))], "it holds 2,147,483,581 bytes of elements"),
    ([(CENTRAL, 42, b"\xff\xff")], "its member w is damaged"),
    ([(LOCAL, 0, b"PK\0\0")], "its member w is damaged"),
    ([(END, 12, b"\xff\xff\xff")], "its list of members is damaged"),
    ([(END, 16, b"\xff\xff\xff")], "its member w is damaged"),
    ([(CENTRAL, 0, b"PK\7\7")], "its list of members is damaged"),
]


@pytest.mark.parametrize(("patches", "said"), PATCHES)
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_that_is_damaged_or_locked_is_reported(
    tmp_path: Path, patches: Any, said: str, method: int
) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("w.npy", npy())
    for patch in patches:
        patched(path, *patch)
    assert refusal(path, "w").startswith(said)


def test_a_list_of_members_is_bounded(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for n in range(80):
            archive.writestr(f"{n:060000}", b"")
    assert refusal(tmp_path / "a.npz", "w").startswith("its list of members has 4,80")


def test_an_archive_of_64_bits_is_read(tmp_path: Path) -> None:
    with (
        zipfile.ZipFile(tmp_path / "a.npz", "w") as archive,
        archive.open("w.npy", "w", force_zip64=True) as member,
    ):
        member.write(npy())
    assert read(tmp_path / "a.npz", "w").tolist() == [0, 0]


@pytest.fixture
def changing(tmp_path: Path) -> Any:
    """Reads a file that gets another length once its header is read: longer than any buffer."""
    array = np.random.default_rng(0).integers(0, 255, 2_000_000, np.uint8)
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "a.npz", w=array)
    np.savez_compressed(tmp_path / "b.npz", w=array)

    def read_and_changed(name: str, key: str, length: int) -> bool:
        """Whether it gives the array that was there before."""

        def changed(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
            os.truncate(tmp_path / name, length)

        found = read_array(ArrayFile(str(tmp_path), name, key), changed)
        return np.array_equal(found, array)

    return read_and_changed


@pytest.mark.parametrize(("name", "key"), [("a.npy", ""), ("a.npz", "w"), ("b.npz", "w")])
@pytest.mark.parametrize("length", [0, 100, 1_000_000])
def test_a_file_that_shrinks_while_it_is_read_is_refused(
    changing: Any, name: str, key: str, length: int
) -> None:
    with pytest.raises(Refused, match=name) as caught:
        changing(name, key, length)
    assert caught.value.code == "E0801"


def test_a_file_that_grows_while_it_is_read_is_refused_or_as_it_was(changing: Any) -> None:
    with pytest.raises(Refused, match="holds more than the 2,000,000 bytes"):
        changing("a.npy", "", 3_000_000)
    assert changing("a.npz", "w", 3_000_000)
    assert changing("b.npz", "w", 3_000_000)


# ---------------------------------------------------------------- memory

LARGE = 64 << 20


def lying(path: Path, shape: str, size: int | None = None) -> None:
    """An archive of 64 KiB that holds 64 MiB of zeros and says what it likes of them."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("w.npy", "w") as member,
    ):
        member.write(npy(HEADER.replace("(2,)", shape), b""))
        for _ in range(LARGE >> 20):
            member.write(bytes(1 << 20))
    if size is not None:
        patched(path, CENTRAL, 24, struct.pack("<I", size))


@pytest.mark.parametrize(
    ("shape", "size", "said"),
    [
        (f"({10 << 28},)", None, "A is [2], the array in "),
        (f"({10 << 28},)", 2**32 - 2, "A is [2], the array in "),
        ("(2,)", None, "it holds 67,108,864 bytes of elements, wanted 8"),
        ("(2,)", len(npy()), "its member w is damaged"),
    ],
)
def test_an_archive_that_lies_takes_no_memory(
    tmp_path: Path, shape: str, size: int | None, said: str
) -> None:
    path = tmp_path / "a.npz"
    lying(path, shape, size)
    source = Source(str(tmp_path / "p.nasm"), '.target trn1\n.hbm A f32[2] input = "a.npz:w"\n')
    tracemalloc.start()
    try:
        with pytest.raises(Failure) as caught:
            Session.load(source)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    (problem,) = caught.value.problems
    assert said in problem.message
    assert str(path) in problem.message
    assert peak < LARGE / 4


# ---------------------------------------------------------------- who reads

PROGRAM = """
.target trn1
.hbm A f32[2]{initialiser}
@sync Nop
{expectation}
"""


@pytest.mark.parametrize("name", ["objects.npy", "text.npy", "pipe.npy"])
def test_initialisers_inputs_and_golden_files_are_read_alike(tmp_path: Path, name: str) -> None:
    broken(tmp_path)
    source = str(tmp_path / "p.nasm")
    with pytest.raises(Refused) as direct:
        read(tmp_path / name)
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


def test_an_array_of_another_shape_or_dtype_is_reported_with_its_file(tmp_path: Path) -> None:
    source = Source(
        str(tmp_path / "p.nasm"), PROGRAM.format(initialiser=' = "a.npy"', expectation="")
    )
    for array, said in (
        (np.zeros(3, np.float32), f"A is [2], the array in {tmp_path}/a.npy [3]"),
        (np.zeros(2), f"A: {tmp_path}/a.npy: the array holds float64, wanted float32"),
    ):
        np.save(tmp_path / "a.npy", array)
        with pytest.raises(Failure) as caught:
            Session.load(source)
        (problem,) = caught.value.problems
        assert (problem.code, problem.message) == ("E0804", said)
        assert problem.span is not None


def test_golden_files_of_an_assembled_program_are_beside_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    np.save(folder / "g.npy", np.arange(2, dtype=np.float32))
    text = PROGRAM.format(initialiser=" = iota", expectation='.expect A == "g.npy"')
    (folder / "p.nasm").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert nasm.run(nasm.assemble("programs/p.nasm")).ok


def test_a_pipe_is_read_where_a_user_names_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npy")
    program = nasm.assemble(PROGRAM.format(initialiser=" input", expectation=""))

    def given(content: bytes) -> Session:
        writer = threading.Thread(target=(tmp_path / "pipe.npy").write_bytes, args=(content,))
        writer.start()
        try:
            return Session(program, {"A": ArrayFile(str(tmp_path), "pipe.npy")})
        finally:
            writer.join()

    held = io.BytesIO()
    np.save(held, np.array([3, 4], np.float32))
    assert given(held.getvalue()).read("A").tolist() == [3, 4]
    np.savez(held := io.BytesIO(), A=np.zeros(2, np.float32))
    for content, said in (
        (npy(data=b"\0" * 7), "it holds 7 bytes of elements, wanted 8"),
        (npy(data=b"\0" * 9), "it holds more than the 8 bytes of elements that it announces"),
        (held.getvalue(), "an archive cannot be read from a pipe"),
    ):
        with pytest.raises(Failure, match=said):
            given(content)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([1.0], "A is [2], the given array [1]"),
        ([[1.0], [2.0, 3.0]], "A is [2], the given array [2, 1]"),
        ([1.0, [2.0]], "what was given for A is no array"),
        ([[], []], "A is [2], the given array [2, 0]"),
        (range(3), "A is [2], the given array [3]"),
        ("a.npy", "A is [2], the given array []"),
        (np.zeros(2), "A: the array holds float64, wanted float32"),
        (
            np.ma.array(np.zeros(2, np.float32), mask=[False, True]),
            "the array given for A has elements that are masked",
        ),
    ],
)
def test_what_python_gives_is_compared(given: Any, said: str) -> None:
    with pytest.raises(Failure) as caught:
        nasm.Session(PROGRAM.format(initialiser=" input", expectation=""), {"A": given})
    (problem,) = caught.value.problems
    assert (problem.code, problem.message) == ("E0804", said)


def test_a_shape_is_compared_before_an_array_is_made() -> None:
    class Elsewhere:
        shape = (1 << 40,)

        def __array__(self, *_: Any, **__: Any) -> Any:
            raise AssertionError("it is fetched")

    with pytest.raises(Failure, match=r"A is \[2\], the given array \[1099511627776\]"):
        nasm.Session(PROGRAM.format(initialiser=" input", expectation=""), {"A": Elsewhere()})
