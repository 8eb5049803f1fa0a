"""The verb ``check``: what it prints, where, and how it exits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.programs import MATMUL, written

POSTED = """\
.target trn2
.sem   a, b
@vector Nop $a++
"""

RACE = """\
.target trn2
.sbuf  t  f32[128, 512]
.sbuf  u  f32[128, 512]
.sem   a
@vector Memset t, 1.0 $a++
@scalar TensorCopy u, t
"""

DEADLOCK = ".target trn2\n.sem a\n@vector Nop $a >= 1\n"


def test_a_note_is_one_line_and_fails_nothing(ran: Any, tmp_path: Path) -> None:
    path = written(tmp_path, POSTED)
    done = ran("check", path)
    assert done.code == 0
    assert done.err == (
        f"note[E0531]: nothing waits for $a, which vector pc 0 (Nop) posts ({path}:3:9)\n"
    )
    assert done.out.startswith(f"{path}: ok, 1 instruction on 1 engine")


@pytest.mark.parametrize(("text", "code"), [(RACE, "E0502"), (DEADLOCK, "E0510")])
def test_what_the_run_would_fail_of_exits_1(ran: Any, tmp_path: Path, text: str, code: str) -> None:
    done = ran("check", written(tmp_path, text))
    assert done.code == 1
    assert f"hazard[{code}]" in done.err
    assert done.err.splitlines()[-1] == "1 error in 1 of 1 file"
    assert "ok," not in done.out


def test_what_does_not_assemble_weighs_more(ran: Any, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    bad = written(tmp_path / "one", ".target trn1\n@sync Npo\n")
    race = written(tmp_path, RACE)
    assert ran("check", race, bad).code == ran("check", bad, race).code == 2


def test_quiet_says_nothing_of_notes(ran: Any, tmp_path: Path) -> None:
    done = ran("check", written(tmp_path, POSTED), "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_many_notes_of_a_kind_are_counted(ran: Any, tmp_path: Path) -> None:
    text = ".target trn2\n" + "".join(f".sem s{n}\n@vector Nop $s{n}++\n" for n in range(12))
    done = ran("check", written(tmp_path, text))
    assert done.err.count("note[E0531]: nothing waits for") == 5
    assert done.err.splitlines()[-1] == "note[E0531]: 7 more; --json lists them"
    document = ran("check", written(tmp_path, text), "--json").document
    assert len(document["files"][0]["warnings"]) == 12


def test_the_map_names_every_memory(ran: Any) -> None:
    out = ran("check", MATMUL, "--map").out
    assert [line.split(":")[0] for line in out.splitlines() if "have an owner" in line] == [
        "hbm",
        "sbuf",
        "psum",
    ]


def test_the_map_says_if_it_is_not_of_the_whole_program(ran: Any) -> None:
    said = "only what was followed of the program counts here"
    assert said not in ran("check", MATMUL, "--map").out
    assert said in ran("check", MATMUL, "--map", "--max-instructions", "2").out


@pytest.mark.parametrize("given", [("--ordering", "relaxed"), ("--option", "ordering=relaxed")])
def test_what_needs_the_interlock_is_listed_by_lines(
    ran: Any, tmp_path: Path, given: tuple[str, str]
) -> None:
    text = RACE.replace("@scalar", "@vector")
    done = ran("check", written(tmp_path, text), *given)
    assert done.code == 0
    row = done.out.splitlines()[-1].split()
    assert row == ["vector", "6", "(TensorCopy)", "t", "5", "(Memset)", "1"]


def test_it_is_said_if_nothing_needs_the_interlock(ran: Any) -> None:
    assert "semaphores order them all" in ran("check", MATMUL, "--ordering", "relaxed").out


def test_only_one_ordering_can_be_asked_for(ran: Any) -> None:
    done = ran("check", MATMUL, "--ordering", "strict")
    assert done.code == 2
    assert "relaxed" in done.err


def test_a_document_has_what_was_followed(ran: Any) -> None:
    (file,) = ran("check", MATMUL, "--json").document["files"]
    assert file["followed"]["ended"] == "finished"
    assert file["followed"]["instructions"] == 7
    assert "memories" not in file
    assert "relied" not in file
    (file,) = ran("check", MATMUL, "--json", "--max-instructions", "2").document["files"]
    assert (file["followed"]["whole"], file["followed"]["ended"]) == (False, "limit")
    assert [p["code"] for p in file["warnings"]] == ["E0535"]


SPARE = """\
.target trn2
.hbm  X  f32[128, 64]  input
.hbm  Y  f32[128, 64]  output
.sbuf x f32[128, 64]
.sbuf y f32[128, 64]
.sem  loaded, made, stored
@sync    DmaCopy         x, X                    $loaded += 16
@vector  TensorCopy      y, x    $loaded >= 16   $made++
@sync    EventSemaphore          $loaded >= 16
@sync    DmaCopy         Y, y    $made >= 1      $stored += 16
@sync    EventSemaphore          $stored >= 16
"""


def test_waits_that_could_go_are_listed_with_what_they_cost(ran: Any, tmp_path: Path) -> None:
    path = written(tmp_path, SPARE)
    done = ran("check", path, "--waits")
    assert done.code == 0
    first, summary, change, semaphores, group = done.out.splitlines()
    assert first.startswith(f"{path}: ok")
    assert summary.startswith("waits: 1 change would do: 0.000 µs less of ")
    assert change == "  line 9: @sync EventSemaphore need not wait for $loaded >= 16"
    assert semaphores.startswith("semaphores: 2 in the place of 3 would do")
    assert group == "  $loaded for $stored (its waits for 16 more)"
    (file,) = ran("check", path, "--waits", "--json").document["files"]
    (made,) = file["waits"]["suggestions"]
    assert (made["kind"], made["line"], made["other"], made["together"]) == ("drop", 9, None, True)
    assert made["saved_microseconds"] == 0
    assert "waits" not in ran("check", path, "--json").document["files"][0]
