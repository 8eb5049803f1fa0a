"""Arrays in and out, traces, and files that cannot be written."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import ml_dtypes
import numpy as np
import pytest

import nasm
from nasm.apps.cli import files, results
from nasm.apps.cli.files import destinations
from nasm.base import host_files, signals
from nasm.base.problems import Failure
from nasm.debugger.session import Session
from tests.cli.programs import HALVES, MATMUL
from tests.show.trace_events import checked, threads


def test_arrays_go_in_and_out_as_bits_where_npy_lacks_the_dtype(
    ran: Any, halves: Path, tmp_path: Path
) -> None:
    values = np.full((128, 4), 3.0, ml_dtypes.bfloat16)
    np.save(tmp_path / "x.npy", values.view(np.uint16))
    out = tmp_path / "y.npy"
    done = ran("run", halves, "--in", f"X={tmp_path / 'x.npy'}", "--out", f"Y={out}")
    assert done.code == 0
    held = np.load(out)
    assert held.dtype == np.uint16
    # 1.5 is 0x3fc0: sign 0, exponent 127, mantissa 100 0000
    assert (held == 0x3FC0).all()
    assert f"wrote Y to {out} (bfloat16 as uint16[128, 4])" in done.out


def test_an_input_may_come_from_an_npz(ran: Any, halves: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "d.npz", first=np.zeros((128, 4), np.uint16))
    y = tmp_path / "y.npy"
    assert ran("run", halves, "--in", f"X={tmp_path}/d.npz:first", "--out", f"Y={y}").code == 0
    assert not np.load(y).any()
    missing = ran("run", halves, "--in", f"X={tmp_path}/d.npz:frist")
    assert missing.code == 2
    assert "did you mean 'first'" in missing.err


def test_any_tensor_can_be_written_and_a_folder_takes_the_outputs(ran: Any, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "results"
    out = tmp_path / "a.npy"
    assert ran("run", MATMUL, "--out-dir", folder, "--out", f"a={out}").code == 0
    assert [p.name for p in folder.iterdir()] == ["C.npy"]
    assert np.load(folder / "C.npy").dtype == np.float32
    assert np.load(out).shape == (128, 128)


@pytest.mark.parametrize("name", ["../a", "/tmp/a", "a/b", ".."])
def test_a_folder_takes_files_of_its_own_only(name: str) -> None:
    program = nasm.assemble(Path(MATMUL))
    program.tensors["C"].name = name  # no builder makes it
    with pytest.raises(Failure, match="no name"):
        destinations(program, [], "results")


def test_outputs_replace_files_whole_and_leave_nothing_beside_them(
    ran: Any, halves: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "y.npy").write_text("old", encoding="utf-8")
    (folder / "y.npy").chmod(0o640)
    assert ran("run", halves, "--out", f"Y={folder / 'y.npy'}").code == 0
    assert os.listdir(folder) == ["y.npy"]
    assert np.load(folder / "y.npy").shape == (128, 4)
    assert (folder / "y.npy").stat().st_mode & 0o777 == 0o640


def test_no_outputs_are_written_by_a_run_that_did_not_end(
    ran: Any, halves: Path, tmp_path: Path
) -> None:
    halves.write_text(HALVES.replace("$halved >= 1 ", "$halved >= 2 "), encoding="utf-8")
    done = ran("run", halves, "--out", f"Y={tmp_path / 'y.npy'}")
    assert done.code == 1
    assert not (tmp_path / "y.npy").exists()
    assert "no outputs are written" in done.out


@pytest.mark.parametrize("where", ["no/such/folder/y.npy", "."])
def test_a_file_that_cannot_be_written_is_refused_before_the_run(
    ran: Any, halves: Path, tmp_path: Path, where: str
) -> None:
    for option in (f"--out=Y={tmp_path / where}", f"--trace={tmp_path / where}"):
        done = ran("run", halves, option)
        assert (done.code, done.out) == (2, "")
        assert "E0806" in done.err
        assert done.err.endswith("1 error; the program was not run\n")


@pytest.mark.parametrize("what", ["folder", "y.npy"])
def test_what_may_not_be_written_is_refused_before_the_run(
    ran: Any, halves: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    (tmp_path / "folder").mkdir()
    closed = tmp_path / "folder" / ("y.npy" if what == "y.npy" else "")
    (tmp_path / "folder" / "y.npy").touch()
    allowed = os.access
    monkeypatch.setattr(  # root may write anywhere
        "os.access", lambda path, mode: Path(path) != closed and allowed(path, mode)
    )
    done = ran("run", halves, "--out", f"Y={tmp_path / 'folder' / 'y.npy'}")
    assert (done.code, done.out) == (2, "")
    assert "Permission denied" in done.err


FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the device that is always full")


@FULL
@pytest.mark.parametrize("how", [(), ("--quiet",), ("--json",)])
def test_what_cannot_be_written_is_reported_on_standard_error_and_the_others_are(
    ran: Any, halves: Path, tmp_path: Path, how: tuple[str, ...]
) -> None:
    x, trace = tmp_path / "x.npy", tmp_path / "t.json"
    done = ran("run", halves, "--out=Y=/dev/full", f"--out=x={x}", "--trace", trace, *how)
    assert done.code == 2
    said = "error[E0806]: cannot write /dev/full: No space left on device\n"
    assert done.err == said
    assert np.load(x).shape == (128, 4)
    assert json.loads(trace.read_text(encoding="utf-8"))
    if how == ("--json",):
        assert [p["code"] for p in done.document["problems"]] == ["E0806"]
        assert [o["tensor"] for o in done.document["outputs"]] == ["x"]
    else:
        assert "E0806" not in done.out
        assert done.out.splitlines()[-1] == "FAIL: results could not be written"


# -- one file for each


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--out=Y=f", "--trace=f"], "cannot write the trace to f: Y goes there"),
        (["--out=Y=f", "--out=x=./f"], "cannot write x to ./f: Y goes there"),
        (["--out=Y=there", "--out=x=link"], "cannot write x to link: Y goes there"),
        (["--out=Y=there", "--out=x=hard"], "cannot write x to hard: Y goes there"),
        (["--out=Y=f", "--out=x=dangling"], "cannot write x to dangling: Y goes there"),
        (["--out-dir=.", "--out=x=Y.npy"], "Y.npy"),
        (["--out-dir=.", "--trace=./Y.npy"], "cannot write the trace to ./Y.npy: Y goes there"),
        (["--out=Y=halves.nasm"], "cannot write Y to halves.nasm: it is the program"),
        (["--trace=halves.nasm"], "cannot write the trace to halves.nasm: it is the program"),
        (["--in=X=x.npy", "--trace=x.npy"], "the input X is read from it"),
    ],
)
def test_two_results_in_one_file_or_one_over_another_file_are_refused(
    ran: Any, halves: Path, monkeypatch: pytest.MonkeyPatch, given: list[str], said: str
) -> None:
    monkeypatch.chdir(halves.parent)
    np.save("x.npy", np.zeros((128, 4), np.uint16))
    Path("there").write_text("old", encoding="utf-8")
    os.symlink("there", "link")
    os.symlink("f", "dangling")
    os.link("there", "hard")
    program = halves.read_text(encoding="utf-8")
    done = ran("run", "halves.nasm", *given)
    assert (done.code, done.out) == (2, "")
    assert "E0813" in done.err
    assert said in done.err
    assert Path("there").read_text(encoding="utf-8") == "old"
    assert not os.path.exists("f")
    assert halves.read_text(encoding="utf-8") == program


def test_names_that_differ_in_capitals_are_one_file_where_the_file_system_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [("Y", str(tmp_path / "y.npy")), ("x", str(tmp_path / "Y.npy"))]
    assert results.clashes(paths, [], False) == []
    same = os.path.samefile
    monkeypatch.setattr(
        "os.path.samefile", lambda a, b: str(a).lower() == str(b).lower() or same(a, b)
    )
    assert len(results.clashes(paths, [], False)) == 1


def test_an_output_may_replace_an_input_and_be_named_twice(
    ran: Any, halves: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(halves.parent)
    np.save("x.npy", np.full((128, 4), 0x4000, np.uint16))  # 2 as bfloat16
    given = ("--in=X=x.npy", "--out=Y=x.npy", "--out=Y=./x.npy", "--out=X=/dev/null")
    assert ran("run", "halves.nasm", *given).code == 0
    assert (np.load("x.npy") == 0x3F80).all()
    assert ran("run", "halves.nasm", *given, "--trace", "t.json").code == 0


# -- written whole, or not at all


@pytest.mark.parametrize("old", [None, "old"])
@pytest.mark.parametrize("again", [False, True])
def test_a_signal_that_strikes_while_a_file_is_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str | None, again: bool
) -> None:
    target, kill = tmp_path / "y.npy", os.kill
    if old is not None:
        target.write_text(old, encoding="utf-8")
    monkeypatch.setattr(signals, "ECHO", 0)
    removed = os.unlink

    def unlink(path: str) -> None:
        kill(os.getpid(), signal.SIGTERM)  # while it is cleaned up
        removed(path)

    def save(out: IO[bytes]) -> None:
        out.write(b"half")
        assert len(os.listdir(tmp_path)) == 1 + (old is not None)
        kill(os.getpid(), signal.SIGTERM)
        pytest.fail("it should have been struck")

    if again:
        monkeypatch.setattr("os.unlink", unlink)
    with signals.heard(), pytest.raises(signals.StopSignal):
        results.replace(str(target), save)
    assert os.listdir(tmp_path) == ([] if old is None else ["y.npy"])
    assert old is None or target.read_text(encoding="utf-8") == old


def test_a_link_that_lies_where_a_file_is_prepared_is_not_followed(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("old", encoding="utf-8")
    os.symlink(mine, tmp_path / f".y.npy.{os.getpid()}.tmp")

    def save(out: IO[bytes]) -> None:
        out.write(b"new")

    results.replace(str(tmp_path / "y.npy"), save)
    assert (tmp_path / "y.npy").read_text(encoding="utf-8") == "new"
    assert mine.read_text(encoding="utf-8") == "old"


def test_what_is_no_ordinary_file_is_written_to_as_it_is(
    ran: Any, halves: Path, tmp_path: Path
) -> None:
    # A pipe of our own: a device would be lost to the whole computer if this ever failed.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert ran("run", halves, "--out", f"Y={pipe}").code == 0
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        assert os.read(reader, 65536).startswith(b"\x93NUMPY")
    finally:
        os.close(reader)


def test_a_trace_whose_name_says_so_is_gzipped(ran: Any, halves: Path, tmp_path: Path) -> None:
    plain, zipped = tmp_path / "t.json", tmp_path / "t.json.gz"
    for path in (plain, zipped):
        assert ran("run", halves, "--trace", path).code == 0
    assert gzip.decompress(zipped.read_bytes()) == plain.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["halves.nasm", "t.json", "t.json.gz"]


def test_the_detail_of_a_trace_is_chosen(ran: Any, halves: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    shown = {}
    for detail in ("transfers", "packets"):
        assert ran("run", halves, "--trace", path, "--trace-detail", detail).code == 0
        shown[detail] = set(threads(checked(json.loads(path.read_text()))).values())
    assert "ring 0" in shown["transfers"]
    assert shown["packets"] - shown["transfers"] == {f"DMA {n}" for n in range(16)}
    assert ran("run", halves, "--trace", path, "--trace-detail", "all").code == 2
    done = ran("run", halves, "--trace-detail", "packets")
    assert done.code == 2
    assert "give that, too" in done.err


@FULL
def test_a_trace_on_a_full_disk_is_reported_of_and_the_outputs_are_written(
    ran: Any, halves: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nasm.show.trace.MANY", 1)  # so that it fails in the middle of the run
    y, old = tmp_path / "y.npy", tmp_path / "t.json"
    old.write_text("old")

    def full(what: str, path: object, do: Any) -> Any:
        if what == "write" and str(path).endswith(".tmp"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return do()

    with host_files.through(full):
        done = ran("run", halves, "--trace", old, "--json")
    assert done.code == 2
    assert [p["code"] for p in done.document["problems"]] == ["E0806"]
    assert done.document["status"] == "finished"
    done = ran("run", halves, "--trace", "/dev/full", f"--out=Y={y}")
    assert (done.code, np.load(y).shape) == (2, (128, 4))
    assert old.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["halves.nasm", "t.json", "y.npy"]


def test_a_run_that_is_interrupted_leaves_no_trace(
    ran: Any, halves: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "t.json"
    old.write_text("old")

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nasm.runs.execution.Execution.run", interrupted)
    assert ran("run", halves, "--trace", old).code == 130
    assert old.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["halves.nasm", "t.json"]


def test_who_reads_the_trace_of_an_interrupted_run_gets_json(
    halves: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is a pipe is no file that can be taken back."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    session = Session(halves)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_bytes)
        with suppress(KeyboardInterrupt), files.tracing(session, str(pipe), "transfers"):
            session.run(max_instructions=1)
            raise KeyboardInterrupt
        checked(json.loads(read.result()))


def test_the_trace_is_written_even_if_the_run_fails(ran: Any, halves: Path, tmp_path: Path) -> None:
    halves.write_text(HALVES.replace("$halved >= 1 ", "$halved >= 2 "), encoding="utf-8")
    trace = tmp_path / "t.json"
    done = ran("run", halves, "--trace", trace)
    assert done.code == 1
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    # a DMA and its transfer, and the halving; Vector waited for one, Sync waits for the other
    assert sum(e["ph"] == "X" for e in events) == 3 + 2
    assert "wrote 5 slices" in done.out


def test_paths_of_a_program_start_at_the_program(
    ran: Any, halves: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "x.npy", np.zeros((128, 4), np.uint16))
    halves.write_text(HALVES.replace("input = iota", 'input = "x.npy"'), encoding="utf-8")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert ran("run", "../halves.nasm", "--out", "Y=y.npy").code == 0
    assert not np.load("y.npy").any()


def test_arrays_that_the_program_cannot_take_are_reported_what_it_takes(
    ran: Any, halves: Path, tmp_path: Path
) -> None:
    np.save(tmp_path / "x.npy", np.zeros((128, 4), np.float64))
    wrong = ran("run", halves, "--in", f"weights={tmp_path / 'x.npy'}")
    assert (wrong.code, wrong.out) == (2, "")
    assert "no input 'weights'\n  hint: its inputs: X" in wrong.err
    unconverted = ran("run", halves, "--in", f"X={tmp_path / 'x.npy'}")
    assert unconverted.code == 2
    assert "the array holds float64, wanted bfloat16" in unconverted.err
    assert "convert the array first" in unconverted.err


def test_a_file_that_is_no_array_is_reported_without_numpys_words(
    ran: Any, halves: Path, tmp_path: Path
) -> None:
    (tmp_path / "x.npy").write_text(".target trn1\n", encoding="utf-8")
    done = ran("run", halves, "--in", f"X={tmp_path / 'x.npy'}")
    assert done.code == 2
    assert "neither .npy nor .npz" in done.err
    assert "pickle" not in done.err


def test_a_program_that_does_not_exist_may_be_one_beside_it(
    ran: Any, halves: Path, tmp_path: Path
) -> None:
    done = ran("run", tmp_path / "havles.nasm")
    assert done.code == 2
    assert "No such file or directory\n  hint: did you mean 'halves.nasm'?" in done.err
    assert "did you mean 'halves.nasm'?" in ran("run", tmp_path / "halves").err
    assert "hint" not in ran("run", tmp_path / "other.nasm").err
    assert "hint" not in ran("run", tmp_path / "no" / "halves.nasm").err
    assert "hint" not in ran("run", tmp_path).err
