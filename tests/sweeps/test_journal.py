"""Rows that are kept: a sweep that was stopped continues, and what has changed is run again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.sweeps.journal import journal
from nasm.sweeps.row import SweepRow
from tests.cli.programs import ENDLESS
from tests.sweeps.test_sweep import SCALED

LOADS = SCALED.replace("= iota", '= "x.npy"').replace("bf16[128, N]  input", "f32[128, 4]  input")


def test_a_sweep_that_was_stopped_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"

    def stop(row: SweepRow, done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    grid = {"N": [4, 8, 12, 16]}
    with pytest.raises(KeyboardInterrupt):
        nasm.sweep(SCALED, grid, keep=path, watch=stop)
    again = nasm.sweep(SCALED, grid, keep=path)
    assert again.kept == 2
    assert again.rows == nasm.sweep(SCALED, grid).rows
    assert nasm.sweep(SCALED, grid, keep=path).kept == 4
    assert nasm.sweep(SCALED, {"N": [8, 20]}, keep=path).kept == 1
    assert nasm.sweep(SCALED + "\n", grid, keep=path).kept == 0


def test_a_line_that_was_not_written_whole_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    nasm.sweep(SCALED, {"N": [4, 8]}, keep=path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    assert nasm.sweep(SCALED, {"N": [4, 8]}, keep=path).kept == 1
    lines = path.read_text().splitlines()
    assert [json.loads(line).get("point") for line in lines] == [None, {"N": 4}, {"N": 8}]


def test_a_file_that_a_run_read_decides_its_row(tmp_path: Path) -> None:
    text = tmp_path / "loads.nasm"
    text.write_text(LOADS.replace("bf16", "f32"))
    np.save(tmp_path / "x.npy", np.ones((128, 4), np.float32))
    keep = tmp_path / "rows.jsonl"
    first = nasm.sweep(text, {"N": [4]}, keep=keep)
    assert first.rows[0].reason == ""
    assert list(first.rows[0].files) == [str(tmp_path / "x.npy")]
    assert nasm.sweep(text, {"N": [4]}, keep=keep).kept == 1
    np.save(tmp_path / "x.npy", np.full((128, 4), 3, np.float32))
    second = nasm.sweep(text, {"N": [4]}, keep=keep)
    assert second.kept == 0
    assert second.rows[0].memory_hash != first.rows[0].memory_hash


def test_a_run_that_was_late_is_made_again(tmp_path: Path) -> None:
    keep = tmp_path / "rows.jsonl"
    found = nasm.sweep(
        f"{ENDLESS}.const N = 1\n", {"N": [1]}, keep=keep, deadline=0.2, max_instructions=None
    )
    assert found.rows[0].status == "timeout"
    assert len(keep.read_text().splitlines()) == 1


@pytest.mark.parametrize("text", ["", "{}\n", "hello", "hello\n", '{"schema": "x"}\nz\n'])
def test_a_file_of_something_else_is_left_as_it_is(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_text(text)
    if not text:
        assert nasm.sweep(SCALED, {"N": [4]}, keep=path).kept == 0
        return
    with pytest.raises(Failure, match="not a file of rows"):
        nasm.sweep(SCALED, {"N": [4]}, keep=path)
    assert path.read_text() == text


def test_a_changed_row_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    nasm.sweep(SCALED, {"N": [4]}, keep=path)
    path.write_text(path.read_text().replace('"ok"', '"okay"'))
    with pytest.raises(Failure, match="has no row in line 2"):
        nasm.sweep(SCALED, {"N": [4]}, keep=path)


def test_a_file_belongs_to_one_process_at_a_time(tmp_path: Path) -> None:
    path = str(tmp_path / "rows.jsonl")
    with journal(path), pytest.raises(Failure, match="in use"), journal(path):
        pass


def test_rows_of_another_version_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    nasm.sweep(SCALED, {"N": [4]}, keep=path)
    lines: list[Any] = [json.loads(line) for line in path.read_text().splitlines()]
    lines[1]["nasm"] = "0.0.9+0"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert nasm.sweep(SCALED, {"N": [4]}, keep=path).kept == 0
