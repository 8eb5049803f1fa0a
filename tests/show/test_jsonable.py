"""Documents have exactly the keys that docs/json.md lists."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nasm.apps.cli import main
from nasm.base.problems import Problem, Severity
from nasm.show import documents, jsonable

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
MATMUL = str(ROOT / "programs" / "matmul.nasm")

WRONG = """\
.target trn1
.hbm   X  f32[128, 8]  input = iota
.sbuf  x  f32[128, 8]
.sbuf  y  f32[128, 8]
.sem   loaded
.for k in 0..1
@sync    DmaCopy     x, X   $loaded += 16
@vector  TensorCopy  y, x
.end
@gpsimd  DevicePrint y
@scalar  RegisterAlu %r0, %r1, 1, op=add   ; nasm: allow E0505 it starts at 0
.for r in 0..1
.expect y == 2
.end
"""

SHARED = """\
.target trn1
.sbuf  x  f32[128, 8] @ 0:0
.sbuf  y  f32[128, 8] @ 0:16
.hbm   Y  f32[128, 8] output
.sem   done, stored
@vector  Memset      x, 1.0
@vector  TensorCopy  y, x             $done++
@sync    DmaCopy     Y, y  $done >= 1 $stored += 16
@sync    Nop               $stored >= 16
"""

LATE = """\
.target trn1
.sbuf  x  f32[128, 8]
.sbuf  y  f32[128, 8]
.sbuf  z  f32[128, 8]
.sem   made, copied
@vector  Memset      x, 1.0
@vector  Memset      y, 1.0           $made++
@scalar  Activation  z, x, op=copy    $made >= 1   $copied++
@gpsimd  TensorCopy  x, z             $copied >= 1
"""
"""The first line could post."""

DECIDED = """\
.target trn1
.hbm   n  i32[1, 1]  input = [[0]]
.sbuf  x  f32[128, 8]
.sbuf  y  f32[128, 8]
.sem   done
@vector Memset x, 1.0 $done++
@gpsimd TensorLoad %r0, n
@gpsimd CompareBranch %r0, 1, op=equal, target=now
@gpsimd Nop $done >= 1
now: @gpsimd TensorCopy y, x
"""
"""It has a race if n is 1."""

ODD = """\
.target trn1
.sbuf  a  f32[128, 8]
@sync  RegisterAlu %r0, %r1, 1, op=add   ; nasm: allow E0505 it starts at 0
"""


def documented(section: str) -> set[str]:
    """The keys that a section of the page lists; a row may have several of one record."""
    part = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    found = set()
    for row in re.findall(r"^\| (`[^|]+`) \|", part, re.MULTILINE):
        first, *others = re.findall("`([^`]+)`", row)
        record = first[: first.rfind(".") + 1]
        found |= {first, *(record + other for other in others)}
    return found


def keys(value: Any, listed: set[str], path: str = "") -> Iterator[str]:
    """The keys of a document: a.b for maps, a[].b for lists of maps.

    What the page lists without what is inside is described elsewhere, or has names of the program.
    """
    inside = any(name.startswith((f"{path}.", f"{path}[]")) for name in listed)
    if path and (value == {} or (path in listed and not inside)):
        yield path
    elif isinstance(value, dict):
        for key, held in value.items():
            yield from keys(held, listed, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for held in value:
            yield from keys(held, listed, f"{path}[]")
    else:
        yield path


def named(section: str, *documents: Any) -> set[str]:
    """The keys of documents, as a section lists them."""
    return {key for one in documents for key in keys(one, documented(section))}


def problems(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if {"code", "severity"} <= set(value):
            yield value
        for held in value.values():
            yield from problems(held)
    elif isinstance(value, list):
        for held in value:
            yield from problems(held)


@pytest.fixture
def document(capsys: pytest.CaptureFixture[str]) -> Any:
    def read(*arguments: object) -> dict[str, Any]:
        code = main([*map(str, arguments), "--json"])
        said = capsys.readouterr()
        assert said.err == ""
        found = json.loads(said.out)
        assert (found["exit_code"], found["ok"]) == (code, code == 0)
        assert found["schema"] == f"neuron-nasm/{arguments[0]}"
        assert found["version"] == 1
        assert documented("Every document") <= set(found)
        return {k: v for k, v in found.items() if k not in documented("Every document")}

    return read


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.nasm"
    path.write_text(WRONG, encoding="utf-8")
    return path


def test_the_document_of_a_run_has_the_keys_of_the_page(
    document: Any, wrong: Path, tmp_path: Path
) -> None:
    figures = tmp_path / "my.toml"
    figures.write_text("semaphore_ns = 25")
    passed = document("run", MATMUL, "--out", f"C={tmp_path / 'c.npy'}")
    failed = document("run", wrong, "--timing", figures)
    assert passed["status"] == failed["status"] == "finished"
    assert failed["expectations"][0]["worst"]
    # what is empty in one document is filled in the other
    empty = {
        "expectations[].worst",
        "expectations[].expansions",
        "messages",
        "outputs",
        "timing",
        "allowed",
    }
    listed = documented("run") - {"messages[].micro"}  # of an instruction that is expanded
    assert named("run", passed, failed) - empty == listed


def test_the_document_of_a_profile_has_the_keys_of_the_page(document: Any, tmp_path: Path) -> None:
    figures = tmp_path / "my.toml"
    figures.write_text("semaphore_ns = 25")
    program = ROOT / "programs" / "matmul_tiled.nasm"
    found = document("profile", program, "--timing", figures, "--tables", tmp_path / "tables")
    slow = found["findings"][0]["warning"]["code"]
    allowing = document("profile", program, "--no-what-if", "--allow", slow)
    empty = {"engines[].stalls"}  # of an engine that never waits
    empty |= {"findings", "outcomes", "tables"}  # of the second
    listed = {key for key in documented("profile") if not key.startswith("units[]")}
    assert named("profile", found, allowing) - empty == listed


def test_the_document_of_a_diff_has_the_keys_of_the_page(document: Any, tmp_path: Path) -> None:
    figures = tmp_path / "my.toml"
    figures.write_text("semaphore_ns = 25")
    other = tmp_path / "other.nasm"
    text = Path(MATMUL).read_text("utf-8").replace("seed=1", "seed=3")
    other.write_text(text + next(line for line in WRONG.splitlines() if "allow" in line), "utf-8")
    found = document("diff", MATMUL, "--timing", figures, "--vs", other)
    assert found["a"].keys() == found["b"].keys()
    # an output that is equal has no first element, a line of one path alone no other side
    lists = {"moved[].b", "path[].b"}
    listed = named("diff", {key: of for key, of in found.items() if key != "b"})
    assert {k for k in listed if not k.startswith(tuple(lists))} == (
        documented("diff") - {"tensors[].first", "path[].a"}
    )


def test_a_program_that_is_not_run_gives_its_problems(document: Any, tmp_path: Path) -> None:
    found = document("run", tmp_path / "no.nasm")
    assert set(found) == {"program", "status", "problems"}
    assert found["status"] == "refused"
    assert found["problems"][0]["code"] == "E0801"


def test_the_document_of_a_check_has_the_keys_of_the_page(document: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.nasm"
    bad.write_text(".target trn1\n@sync Npo\n", encoding="utf-8")
    shared = tmp_path / "shared.nasm"
    shared.write_text(SHARED, encoding="utf-8")
    odd = tmp_path / "odd.nasm"
    odd.write_text(ODD, encoding="utf-8")
    late = tmp_path / "late.nasm"
    late.write_text(LATE, encoding="utf-8")
    options = "--map", "--ordering", "relaxed", "--waits"
    found = document("check", MATMUL, bad, shared, odd, late, *options)
    # a list that is empty in one file is filled in another
    empty = {"files[].memories[].tensors[].shares", "files[].relied", "files[].waits.suggestions"}
    empty |= {"files[].waits.semaphores", "files[].waits.semaphores[].groups"}
    assert named("check", found) - empty == documented("check")
    assert [f["ok"] for f in found["files"]] == [True, False, True, True, True]
    assert [s["kind"] for s in found["files"][-1]["waits"]["suggestions"]] == ["earlier"]
    assert found["files"][0]["instructions"] == {"tensor": 2, "vector": 1, "sync": 4}


def test_the_documents_of_isa_have_the_keys_of_the_page(document: Any) -> None:
    given = (), ("MultiplyMoving",), ("Npo",), ("--options",), ("--timing",), ("--search", "add")
    found = [document("isa", *words) for words in (*given, ("SETRWC",))]
    empty = {"instruction.instead"}  # of one that nothing replaces
    assert named("isa", *found) - empty == documented("isa")


def test_the_documents_of_explain_have_the_keys_of_the_page(document: Any) -> None:
    found = [document("explain"), document("explain", "E0501"), document("explain", "E9999")]
    assert named("explain", *found) == documented("explain")
    assert len(found[1]["codes"]) == 1


def test_problems_have_the_keys_of_the_page(document: Any, wrong: Path) -> None:
    found = list(problems(document("run", wrong)))
    assert found
    empty = {"notes", "expansions"}
    assert named("Problems", *found) - empty == documented("Problems")


def test_the_documents_of_a_text_have_the_keys_of_the_page(document: Any, tmp_path: Path) -> None:
    made = document("asm", MATMUL, "-o", tmp_path / "matmul.nobj")
    assert made["bytes"] == (tmp_path / "matmul.nobj").stat().st_size
    cut = {"program", "status"}  # of what did not get to its end
    assert named("asm", made) == documented("asm") - cut
    assert named("list", document("list", MATMUL)) == documented("list") - cut
    sequential = tmp_path / "sequential.nasm"
    sequential.write_text(RACED.format(""), encoding="utf-8")
    assert named("sync", document("sync", sequential, "--strip")) == documented("sync")


def test_a_problem_says_where_it_is(document: Any, wrong: Path) -> None:
    wrong.write_text(".target trn1\n@sync Npo  ; here\n", encoding="utf-8")
    (found,) = document("run", wrong)["problems"]
    place = {k: found[k] for k in ("file", "line", "column", "end_line", "end_column")}
    assert place == {"file": str(wrong), "line": 2, "column": 7, "end_line": 2, "end_column": 10}
    assert (found["severity"], found["family"]) == ("error", "name")


def test_a_problem_carries_its_facts_and_its_severity() -> None:
    facts = {"kind": "read-write", "wait": {"line": 3, "semaphore": "done", "value": 16}}
    found = jsonable.problem(Problem("E0502", "race", severity=Severity.NOTE, facts=facts))
    assert (found["facts"], found["severity"], found["family"]) == (facts, "note", "hazard")


RACED = """\
.target trn1
.hbm  X  f32[128, 512]  input = iota
.sbuf t  f32[128, 512]
.sbuf u  f32[128, 512]
.sem  loaded
@sync   DmaCopy    t, X   $loaded += 16
@vector TensorCopy u, t   {}
"""


def test_the_facts_of_a_race_have_the_keys_of_the_page(document: Any, tmp_path: Path) -> None:
    path = tmp_path / "raced.nasm"
    path.write_text(RACED.format(""), encoding="utf-8")
    (race,) = (p for p in document("run", path)["hazards"] if p["code"] == "E0502")
    facts = race["facts"]
    apart = {"wait", "inputs"}
    assert {*keys(facts, documented("Facts of a race")), *apart} == documented("Facts of a race")
    assert facts["kind"] == "read-write"
    assert [(a["engine"], a["line"], a["access"]) for a in facts["accesses"]] == [
        ("vector", 7, "read"),
        ("sync", 6, "write"),
    ]
    wait = facts["wait"]
    assert (wait["line"], wait["semaphore"], wait["op"], wait["value"]) == (7, "loaded", ">=", 16)
    path.write_text(RACED.format("$loaded >= 16"), encoding="utf-8")
    assert document("run", path)["hazards"] == []
    path.write_text(DECIDED, encoding="utf-8")
    (other,) = (p for p in problems(document("check", path)) if p["code"] == "E0545")
    assert {*other["facts"]} - {*facts} == {"inputs"}
    assert other["facts"]["inputs"] == {"n[0, 0]": 1}


def test_numbers_that_json_lacks_are_strings() -> None:
    given = [1.5, math.nan, math.inf, -math.inf, None]
    assert [documents.number(v) for v in given] == [1.5, "nan", "inf", "-inf", None]


def test_equal_runs_give_equal_documents(document: Any) -> None:
    assert document("run", MATMUL) == document("run", MATMUL)
