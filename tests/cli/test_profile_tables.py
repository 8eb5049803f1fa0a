"""profile --tables: files of rows, whole or absent."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.programs import MATMUL, PROGRAMS, written

NAMES = ("Instruction", "DmaPacketAggregated", "SemaphoreUpdate", "PsumUsage", "Summary")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def test_tables_are_files_of_a_folder_that_is_made(ran: Any, tmp_path: Path) -> None:
    folder = tmp_path / "some" / "where"
    done = ran("profile", MATMUL, "--tables", folder)
    assert (done.code, done.err) == (0, "")
    assert sorted(p.name for p in folder.iterdir()) == sorted(f"{n}.jsonl" for n in NAMES)
    rows = lines(folder / "Instruction.jsonl")
    assert len(rows) == 7
    assert len(lines(folder / "Summary.jsonl")) == 1
    assert "Instruction (7)" in " ".join(done.out.split())
    found = ran("profile", MATMUL, "--tables", folder, "--json").document
    assert {t["table"]: t["rows"] for t in found["tables"]} == {
        name: len(lines(folder / f"{name}.jsonl")) for name in NAMES
    }
    assert found["tables"][0]["file"] == str(folder / "Instruction.jsonl")
    assert ran("profile", MATMUL, "--json").document["tables"] == []


def test_a_program_that_needs_its_values_is_written_once(ran: Any, tmp_path: Path) -> None:
    found = ran("profile", PROGRAMS / "embedding.nasm", "--tables", tmp_path, "--json").document
    assert found["exit_code"] == 0
    done = lines(tmp_path / "Instruction.jsonl")
    assert len(done) == sum(e["instructions"] for e in found["engines"])
    assert len({row["id"] for row in done}) == len(done)


def test_nothing_is_left_of_what_is_refused(ran: Any, tmp_path: Path) -> None:
    bad = written(tmp_path, ".target trn1\n@sync Npo\n")
    folder = tmp_path / "tables"
    assert ran("profile", bad, "--tables", folder).code == 2
    assert not folder.exists()
    (tmp_path / "file").write_text("x")
    done = ran("profile", MATMUL, "--tables", tmp_path / "file")
    assert done.code == 2
    assert "E0806" in done.err
    own = tmp_path / "Instruction.jsonl"
    own.write_text(Path(MATMUL).read_text(encoding="utf-8"), encoding="utf-8")
    done = ran("profile", own, "--tables", tmp_path)
    assert done.code == 2
    assert "cannot write the table Instruction" in done.err
    assert own.read_text(encoding="utf-8") == Path(MATMUL).read_text(encoding="utf-8")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "Instruction.jsonl", "file", "program.nasm",
    ]  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_table_that_cannot_be_written_is_reported_and_the_others_are(
    ran: Any, tmp_path: Path
) -> None:
    (tmp_path / "Instruction.jsonl").symlink_to("/dev/full")
    done = ran("profile", MATMUL, "--tables", tmp_path)
    assert "E0806" in done.err
    assert done.code == 2
    assert len(lines(tmp_path / "Summary.jsonl")) == 1
    assert not list(tmp_path.glob(".*"))


def test_a_run_that_is_stopped_leaves_what_it_did(ran: Any, tmp_path: Path) -> None:
    done = ran("profile", MATMUL, "--tables", tmp_path, "--max-instructions", 3)
    assert done.code == 1
    rows = lines(tmp_path / "Instruction.jsonl")
    assert len(rows) == 3
    assert lines(tmp_path / "Summary.jsonl")[0]["sync_engine_instruction_count"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "parquet"), "--format says how --tables is written"),
        (("--tables", "x", "--format", "csv"), "csv"),
        (("--tables", "x", "--timeline", ".."), "--tables does not go with --timeline"),
    ],
)
def test_options_that_do_not_go_together(ran: Any, words: tuple[str, ...], said: str) -> None:
    done = ran("profile", MATMUL, *words)
    assert done.code == 2
    assert said in done.err


def test_parquet_without_its_package_is_refused_before_the_run(
    ran: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    done = ran("profile", MATMUL, "--tables", tmp_path / "x", "--format", "parquet")
    assert done.code == 2
    assert "E0817" in done.err
    assert "neuron-nasm[parquet]" in done.err
    assert not (tmp_path / "x").exists()


def test_parquet_has_the_same_rows(ran: Any, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for program in (MATMUL, str(PROGRAMS / "ring.nasm")):
        assert ran("profile", program, "--tables", tmp_path).code == 0
        assert ran("profile", program, "--tables", tmp_path, "--format", "parquet").code == 0
        for name in NAMES:
            table = parquet.read_table(tmp_path / f"{name}.parquet")
            assert table.to_pylist() == lines(tmp_path / f"{name}.jsonl")
            assert all(field.metadata[b"description"] for field in table.schema)


def test_parquet_is_written_in_groups(
    ran: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    from nasm.show import table_files

    monkeypatch.setattr(table_files, "MANY", 3)
    assert ran("profile", MATMUL, "--tables", tmp_path, "--format", "parquet").code == 0
    file = parquet.ParquetFile(tmp_path / "Instruction.parquet")
    assert (file.num_row_groups, file.metadata.num_rows) == (3, 7)
