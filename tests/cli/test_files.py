"""Arrays in and out, traces, and files that cannot be written."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nasm
from nasm.cli.files import destinations
from nasm.problems import Failure
from tests.cli.programs import HALVES, MATMUL


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
def test_a_file_that_cannot_be_written_exits_2(
    ran: Any, halves: Path, tmp_path: Path, where: str
) -> None:
    done = ran("run", halves, "--out", f"Y={tmp_path / where}")
    assert done.code == 2
    assert "E0806" in done.out
    assert done.out.splitlines()[-1] == "FAIL: results could not be written"


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


def test_the_trace_is_written_even_if_the_run_fails(ran: Any, halves: Path, tmp_path: Path) -> None:
    halves.write_text(HALVES.replace("$halved >= 1 ", "$halved >= 2 "), encoding="utf-8")
    trace = tmp_path / "t.json"
    done = ran("run", halves, "--trace", trace)
    assert done.code == 1
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    # one DMA in 16 shares, itself, and the halving
    assert sum(e["ph"] == "X" for e in events) == 16 + 2
    assert "wrote 18 slices" in done.out


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


def test_arrays_that_the_program_cannot_take_are_told_what_it_takes(
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


def test_a_file_that_is_no_array_is_told_without_numpys_words(
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
