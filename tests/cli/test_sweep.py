"""``neuron-nasm sweep``: every choice of some values, as a table and as files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from nasm.apps.cli.many_runs import _parts, _ranged


def test_the_table_has_the_best_first(ran: Any, halves: Path, tmp_path: Path) -> None:
    found = ran("sweep", halves, "-D", "N=64,4", "-j", "1", "--no-keep", "--no-values")
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[0].split() == ["N", "time", "MFU", "bytes"]
    assert [line.split()[0] for line in lines[1:3]] == ["4", "64"]
    assert lines[-1].startswith("best time: ")
    assert lines[-1].endswith(" with N=4")


def test_a_run_that_fails_says_why_and_none_that_is_ok_is_an_exit_code(
    ran: Any, halves: Path
) -> None:
    some = ran("sweep", halves, "-D", "N=4,0", "-j", "1", "--no-keep")
    assert some.code == 0
    assert "1 not ok" in some.out
    none = ran("sweep", halves, "-D", "N=0", "-j", "1", "--no-keep")
    assert none.code == 1
    assert "no run is ok" in none.out


def test_files_have_all_rows(ran: Any, halves: Path, tmp_path: Path) -> None:
    to = {name: tmp_path / f"all.{name}" for name in ("csv", "svg")}
    options = [word for name, path in to.items() for word in (f"--{name}", path)]
    grid = ("-D", "N=4..12:4", "--target", "trn1,trn2")
    found = ran("sweep", halves, *grid, "-j", "1", "--no-keep", "--json", *options)
    document = json.loads(found.out)
    assert document["varied"] == ["N", "target"]
    assert [row["status"] for row in document["rows"]] == ["finished"] * 6
    read = list(csv.DictReader(io.StringIO(to["csv"].read_text())))
    assert [(row["N"], row["target"]) for row in read] == [
        (str(row["point"]["N"]), row["point"]["target"]) for row in document["rows"]
    ]
    drawn = ElementTree.parse(to["svg"]).getroot()
    assert len(drawn.findall("{*}rect")) == 1 + 6


def test_rows_are_kept_in_this_folder(
    ran: Any, halves: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran("sweep", "halves.nasm", "-D", "N=4,8", "-j", "1")
    again = ran("sweep", "halves.nasm", "-D", "N=4,8,12", "-j", "1")
    assert "3 runs, 2 of them kept from before" in again.out
    assert (tmp_path / "halves.rows.jsonl").exists()


def test_what_makes_no_sweep(ran: Any, halves: Path, tmp_path: Path) -> None:
    for words, why in (
        (["-D", "N"], "is not NAME=VALUES"),
        (["-D", "N=8..4"], "is a range without an end"),
        (["-D", "N=4", "-D", "N=8"], "N is given twice"),
        (["--svg", tmp_path / "no" / "x.svg", "-D", "N=4"], "no such folder"),
        (["--arg", "n=4"], "goes with a kernel"),
    ):
        found = ran("sweep", halves, "--no-keep", "-j", "1", *words)
        assert found.code == 2, words
        assert why in found.err, words
    picture = ("sweep", halves, "--no-keep", "-j", "1", "-D", "N=4", "--svg", tmp_path / "x.svg")
    assert ran(*picture).code == 2


def test_values_are_split_at_commas_and_ranges_are_counted() -> None:
    assert _parts('1, [2,3],"a,b"') == ["1", "[2,3]", '"a,b"']
    assert _ranged("4..7") == ["4", "5", "6", "7"]
    assert _ranged("4..12:4") == ["4", "8", "12"]
    assert _ranged("4..40x3") == ["4", "12", "36"]
    assert _ranged("bf16") == ["bf16"]
