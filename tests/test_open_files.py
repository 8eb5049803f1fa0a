"""What a program may read: any file, those in one folder, or none."""

from __future__ import annotations

import os
import pickle
import stat
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.apps.repl import known_names
from nasm.base import files, host_files, source_files
from nasm.base.files import ANY, Allowed
from nasm.base.problems import Failure, Refused

VALUES = np.arange(3, dtype=np.float32)
PROGRAM = """
.target trn1
.hbm A f32[3] = {start}
@sync Nop
.expect A == {golden}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder ``home/data`` that may be read, programs beside it, and secrets outside."""
    for name in ("data/deep", "data2", "secret", "programs", "elsewhere"):
        (tmp_path / "home" / name).mkdir(parents=True)
    home = tmp_path / "home"
    for name in ("data/a.npy", "data/deep/a.npy", "data2/a.npy", "secret/a.npy", "elsewhere/a.npy"):
        np.save(home / name, VALUES)
    np.savez(home / "secret" / "a.npz", password=VALUES)
    links = {
        "data/file": "../secret/a.npy",
        "data/absolute": str(home / "secret" / "a.npy"),
        "data/folder": "../secret",
        "data/dangling": "../secret/none.npy",
        "data/twice": "deep/up",
        "data/deep/up": "../file",
        "data/inner": "deep/a.npy",
        "data/deep/inner": "../a.npy",
        "data/round": "../data/a.npy",
        "data/far": str(home / "data" / "deep"),
        "data/loop": "loop",
        "secret/back": "../data",
        "linked": "elsewhere",
    }
    for name, target in links.items():
        (home / name).symlink_to(target)
    monkeypatch.chdir(home)
    return home


@pytest.fixture(params=[True, False], ids=["stepwise", "resolved"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to open a file: in steps, and where there are none."""
    monkeypatch.setattr(files, "_STEPWISE", request.param)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("folder", "base", "name"),
    [
        ("data", "data", "a.npy"),
        ("data", "data", "./deep//../a.npy"),
        ("data", "programs", "../data/a.npy"),
        ("data", "programs", "../data/deep/a.npy"),
        ("data", "programs", "{home}/data/a.npy"),
        ("{home}/data", "", "data/a.npy"),
        ("data/", "data/deep", "a.npy"),
        ("data", "data/deep", "../a.npy"),
        ("data", "data", "inner"),
        ("data", "data", "deep/inner"),
        ("data", "data", "round"),
        ("data", "data", "far/a.npy"),
        ("data", "data", "../data/a.npy"),
        ("linked", "", "linked/a.npy"),
        ("linked", "linked", "a.npy"),
        ("linked", "elsewhere", "a.npy"),
        ("elsewhere", "linked", "a.npy"),
        ("linked", "", "{home}/linked/a.npy"),
        (".", "programs", "../data/file"),
        ("/", "programs", "../secret/a.npy"),
    ],
)
def test_a_file_in_the_folder_is_opened(home: Path, folder: str, base: str, name: str) -> None:
    allowed = Allowed.of(folder.format(home=home))
    with allowed.opened(base, name.format(home=home)) as stream:
        assert stream.read(6) == b"\x93NUMPY"
    assert allowed.check(base, name.format(home=home)) is None


OUT = [
    ("data", "../secret/a.npy"),
    ("data", "../secret/none.npy"),
    ("data", "{home}/secret/a.npy"),
    ("data", "/"),
    ("data", ".."),
    ("data", "../data2/a.npy"),
    ("data", "file"),
    ("data", "absolute"),
    ("data", "folder/a.npy"),
    ("data", "folder/none.npy"),
    ("data", "dangling"),
    ("data", "twice"),
    ("data", "deep/up"),
    ("secret", "a.npy"),
]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("base", "name"), OUT)
def test_a_file_outside_is_refused_whether_it_exists_or_not(
    home: Path, base: str, name: str
) -> None:
    allowed, name = Allowed.of("data"), name.format(home=home)
    for use in (allowed.opened, allowed.check):
        with pytest.raises(Refused) as caught:
            use(base, name)
        refused = caught.value
        assert refused.code == "E0801"
        said = "it is not in data, the only folder from which programs may read"
        assert refused.message == f"{name} may not be read: {said}"
        assert refused.hint == "--files (files= in Python) names that folder"


def test_a_link_outside_is_not_followed_back(home: Path) -> None:
    # that there is such a link, and where it leads, is not the program's to know
    with pytest.raises(Refused):
        Allowed.of("data").opened("programs", "../secret/back/a.npy")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("none.npy", FileNotFoundError),
        ("deep", IsADirectoryError),
        (".", (IsADirectoryError, Refused)),
        ("a.npy/", NotADirectoryError),
        ("a.npy/b", (NotADirectoryError, FileNotFoundError)),
        ("loop", OSError),
        ("pipe", OSError),
        ("a\0b", ValueError),
    ],
)
def test_what_is_wrong_in_the_folder_is_said_as_ever(home: Path, name: str, error: Any) -> None:
    os.mkfifo("data/pipe")
    if name == "a.npy/" and not files._STEPWISE:
        return  # realpath drops the slash
    with pytest.raises(error):
        Allowed.of("data").opened("data", name)


def test_no_file_at_all(home: Path) -> None:
    with pytest.raises(Refused, match=r"^a.npy may not be read: programs may read no files$"):
        Allowed.of(False).opened("data", "a.npy")
    assert Allowed.of(True) is Allowed.of(None) is ANY


@pytest.mark.parametrize("given", ["none", "data/a.npy", "", "a\0b", 3, None.__class__])
def test_a_folder_that_is_none_is_refused(home: Path, given: Any) -> None:
    with pytest.raises(Failure, match=r"no folder .* from which the program may read"):
        Allowed.of(given)


@pytest.mark.parametrize(
    ("swapped", "target"), [("deep", "../secret"), ("a.npy", "../../secret/a.npy")]
)
def test_what_is_swapped_between_two_steps_leads_nowhere(
    home: Path, monkeypatch: pytest.MonkeyPatch, swapped: str, target: str
) -> None:
    looked = files._looked

    def then_swapped(part: str, folder: int) -> os.stat_result | None:
        status = looked(part, folder)
        if part == swapped:
            os.rename(part, "away", src_dir_fd=folder)
            os.symlink(target, part, dir_fd=folder)
        return status

    monkeypatch.setattr(files, "_looked", then_swapped)
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        Allowed.of("data").opened("data", "deep/a.npy")


def test_a_file_that_becomes_a_pipe_does_not_block(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo("data/pipe")
    plain = os.stat("data/a.npy")
    monkeypatch.setattr(files, "_looked", lambda part, folder: plain)
    with pytest.raises(OSError, match="it is a pipe"):
        Allowed.of("data").opened("data", "pipe")


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="no list of open files")
def test_no_file_stays_open(home: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    for base, name in (*OUT, ("data", "deep/../deep/a.npy"), ("data", "loop"), ("data", "none")):
        Allowed.of("data").check("data", "a.npy")
        with suppress(OSError, Refused):
            Allowed.of("data").opened(base, name.format(home=home)).close()
    assert len(os.listdir("/dev/fd")) == before


# ---------------------------------------------------------------- of a program


def program(home: Path, start: str, golden: str = "[0, 1, 2]") -> str:
    path = home / "programs" / "p.nasm"
    path.write_text(PROGRAM.format(start=start, golden=golden))
    return str(path)


def said(failure: Any) -> list[str]:
    return [f"{p.code} {p.message}" for p in failure.value.problems]


INSIDE, OUTSIDE = '"../data/a.npy"', '"../secret/a.npy"'
REFUSED = "E0801 ../secret/a.npy may not be read: it is not in data"


@pytest.mark.parametrize(("start", "golden"), [(INSIDE, INSIDE), ("iota", INSIDE), (INSIDE, "A")])
def test_a_program_reads_from_the_folder(home: Path, start: str, golden: str) -> None:
    path = program(home, start, golden)
    assert nasm.run(path, files="data").ok
    assert nasm.run(nasm.assemble(path, files=Path("data"))).ok
    with pytest.raises(Failure):
        nasm.run(path, files=False)


@pytest.mark.parametrize(
    ("start", "golden"), [(OUTSIDE, "A"), ("iota", OUTSIDE), (OUTSIDE, OUTSIDE)]
)
def test_a_program_that_names_a_file_outside_does_not_assemble(
    home: Path, start: str, golden: str
) -> None:
    path = program(home, start, golden)
    assert nasm.run(path).ok
    assert nasm.run(path, files=True).ok
    for use in (nasm.run, nasm.assemble, nasm.Session):
        with pytest.raises(Failure) as caught:
            use(path, files="data")  # type: ignore[operator]
        assert all(s.startswith(REFUSED) for s in said(caught))
        assert all(p.span is not None for p in caught.value.problems)


def test_a_program_keeps_what_it_was_assembled_with(home: Path) -> None:
    path = program(home, INSIDE, INSIDE)
    assembled = nasm.assemble(path, files="data")
    (home / "data" / "a.npy").unlink()
    (home / "data" / "a.npy").symlink_to("../secret/a.npy")
    for made in (assembled, pickle.loads(pickle.dumps(assembled))):
        with pytest.raises(Failure, match="may not be read"):
            nasm.run(made)
        assert nasm.run(made, files=True).ok


def test_a_program_that_is_assembled_is_held_to_what_its_run_says(home: Path) -> None:
    started = nasm.assemble(program(home, OUTSIDE))
    with pytest.raises(Failure, match="may not be read"):
        nasm.run(started, files="data")
    golden = nasm.assemble(program(home, "iota", OUTSIDE))
    report = nasm.run(golden, files=False).report
    assert [p.code for p in report.problems] == ["E0801"]
    assert not report.ok


def test_nothing_is_said_of_an_archive_outside(home: Path) -> None:
    with pytest.raises(Failure) as caught:
        nasm.run(program(home, '"../secret/a.npz:pasword"'), files="data")
    (problem,) = caught.value.problems
    assert problem.message.startswith("../secret/a.npz may not be read")
    assert "password" not in str(problem)


def test_a_restart_reads_no_file_again(home: Path) -> None:
    session = nasm.Session(program(home, INSIDE), files="data")
    (home / "data" / "a.npy").unlink()
    session.run()
    session.restart()
    assert session.read("A").tolist() == [0, 1, 2]


def test_what_python_gives_is_not_the_programs_reading(home: Path) -> None:
    text = ".target trn1\n.hbm A f32[3] input\n@sync Nop\n"
    assert nasm.run(text, {"A": VALUES}, files=False).ok


# ---------------------------------------------------------------- completion


def test_completion_names_files_of_the_folder_alone(home: Path) -> None:
    assert known_names.files("secret/", Allowed.of("data")) == {}
    assert known_names.files("data/folder/", Allowed.of("data")) == {}
    assert known_names.files("data/", Allowed.of(False)) == {}
    assert known_names.files("", Allowed.of("data")) == {}
    listed = known_names.files("data/", Allowed.of("data"))
    assert (listed["data/a.npy"], listed["data/deep/"]) == ("file", "folder")
    assert listed["data/folder"] == "file"  # a link: where it leads is not told
    assert "secret/a.npy" in known_names.files("secret/")


def test_a_regular_file_is_one_after_it_is_opened(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo("pipe")
    plain = os.stat("data/a.npy")
    assert stat.S_ISREG(plain.st_mode)
    monkeypatch.setattr(files.host_files, "stat", lambda path: plain)
    with pytest.raises(OSError, match="it is a pipe"):
        files.regular("pipe")


# ---------------------------------------------------------------- texts of programs


def test_a_program_is_read_from_a_pipe(home: Path) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(
        target=(home / "pipe").write_text, args=(".target trn1\r\n@sync Nop\n",)
    )
    writer.start()
    try:
        assert nasm.run(Path("pipe")).ok
    finally:
        writer.join()


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no endless device")
def test_a_program_that_does_not_end_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_files, "LARGEST", 10_000)
    with pytest.raises(Failure, match=r"/dev/zero has more than 10,000 bytes"):
        nasm.run(Path("/dev/zero"))


def test_a_program_whose_path_is_none_is_refused(home: Path) -> None:
    with pytest.raises(Failure, match="E0801"):
        nasm.run(Path("a\0b"))


def test_what_replaces_a_file_writes_into_a_pipe_and_leaves_it_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with host_files.whole(str(pipe)) as out:
            out.write(b"all of it")
        assert os.read(reader, 100) == b"all of it"
        assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    finally:
        os.close(reader)
