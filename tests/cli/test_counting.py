"""What the command says, and how it exits, with problems that are allowed, strict or unchecked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

RACED = """\
.target trn1
.sbuf  c  f32[128, 512]
@gpsimd Memset  c, 1.0
@vector Memset  c, 1.0{}
"""
DOUBTED = """\
.target trn1
.sbuf  c  f32[128, 512]
@gpsimd Memset  c, 1.0
@gpsimd TensorTensor  c, c, c, op=subtract
"""
ALLOW = "   ; nasm: allow E0502 both write 1.0"


@pytest.fixture
def program(tmp_path: Path) -> Any:
    def write(text: str) -> Path:
        path = tmp_path / "p.nasm"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_run_lists_what_is_allowed_behind_all_else(ran: Any, program: Any) -> None:
    path = program(RACED.format(ALLOW))
    done = ran("run", path)
    assert done.code == 0
    *_, head, why, empty, verdict = done.out.splitlines()
    assert head.startswith("allowed[E0502]: ")
    assert head.endswith(f" ({path}:4:9)")
    assert why == f"  reason: both write 1.0 ({path}:4:26)"
    assert (empty, verdict) == ("", "PASS: the program has no expectations")
    assert ran("run", "-q", path).out == ""


def test_the_document_has_what_is_allowed_with_reason_and_place(ran: Any, program: Any) -> None:
    document = ran("run", "--json", program(RACED.format(ALLOW))).document
    (allowed,) = document["allowed"]
    assert allowed["problem"]["code"] == "E0502"
    assert (allowed["reason"], allowed["line"], allowed["column"]) == ("both write 1.0", 4, 26)
    assert (document["hazards"], document["checked"]) == ([], True)


@pytest.mark.parametrize("verb", ["run", "profile"])
def test_a_code_is_allowed_on_the_command_line(ran: Any, program: Any, verb: str) -> None:
    path = program(RACED.format(""))
    assert ran(verb, path).code == 1
    assert ran(verb, path, "--allow", "E0502").code == 0
    assert ran(verb, path, "--unchecked").code == 0
    (allowed,) = ran(verb, path, "--allow=e0502", "--json").document["allowed"]
    assert (allowed["problem"]["code"], allowed["reason"], allowed["file"]) == ("E0502", "", None)


@pytest.mark.parametrize("verb", ["run", "profile", "diff", "check"])
def test_a_code_that_cannot_be_allowed_is_refused(ran: Any, program: Any, verb: str) -> None:
    more = ["--vs", "--no-values"] if verb == "diff" else []
    done = ran(verb, program(DOUBTED), "--allow", "E0520x", *more)
    assert done.code == 2
    assert "error[E0831]: no diagnostic has the code 'E0520X'" in done.err


@pytest.mark.parametrize(("verb", "code"), [("run", 1), ("check", 1)])
def test_a_warning_fails_if_it_is_strict(ran: Any, program: Any, verb: str, code: int) -> None:
    path = program(DOUBTED)
    assert ran(verb, path).code == 0
    done = ran(verb, path, "--strict")
    assert done.code == code
    assert "error[E0408]" in done.out + done.err
    assert ran(verb, path, "--strict", "--allow", "E0408").code == 0


def test_a_check_tells_warnings_and_what_is_allowed(ran: Any, program: Any) -> None:
    path = program(DOUBTED)
    done = ran("check", path)
    assert "warning[E0408]" in done.err
    assert done.out.startswith(f"{path}: ok")
    assert ran("check", "-q", path).err == ""
    allowing = ran("check", path, "--allow", "E0408")
    assert "allowed[E0408]" in allowing.out
    assert "E0408" not in allowing.err


def test_what_does_not_assemble_weighs_more_than_a_warning(ran: Any, program: Any) -> None:
    path = program(DOUBTED)
    bad = path.with_name("bad.nasm")
    bad.write_text(".target trn1\n@sync Npo\n", encoding="utf-8")
    assert ran("check", "--strict", bad, path).code == 2
    assert ran("check", "--strict", path, bad).code == 2


def test_a_check_tells_hazards_that_are_allowed(ran: Any, program: Any) -> None:
    done = ran("check", program(RACED.format(ALLOW)))
    assert done.code == 0
    assert "E0502" not in done.err
    assert "allowed[E0502]" in done.out


COLUMN = """\
.target trn1
.hbm   X  f32[128, 512]  input = iota
.sbuf  x  f32[128, 16]
.sem   loaded
@sync  DmaCopy  x, X[:, 0:16]   $loaded += 16
@sync  Nop                      $loaded >= 16
"""


def test_advice_of_a_profile_counts_if_it_is_strict_and_can_be_allowed(
    ran: Any, program: Any
) -> None:
    path = program(COLUMN)
    assert ran("profile", path).code == 0
    done = ran("profile", path, "--strict", "--json")
    assert done.code == 1
    found = [f["warning"] for f in done.document["findings"]]
    assert {(f["code"], f["severity"]) for f in found} == {("W0101", "error")}
    path = program(COLUMN.replace("+= 16", "+= 16 ; nasm: allow W0101 it is small"))
    done = ran("profile", path, "--strict")
    assert done.code == 0
    assert "allowed[W0101]" in done.out
    assert "reason: it is small" in done.out
    assert "E0832" not in ran("run", path).out  # a run does not look for it


def test_advice_that_is_allowed_and_not_given_is_reported_by_a_profile(
    ran: Any, program: Any
) -> None:
    done = ran("profile", program(COLUMN), "--allow", "W0105")
    assert done.code == 0
    assert "note[E0832]: W0105 is allowed everywhere, and is nowhere" in done.out


def test_the_debugger_tells_warnings_and_what_is_allowed(ran: Any, program: Any) -> None:
    path = program(RACED.format(ALLOW))
    done = ran("repl", path, "-ex", "run", "-ex", "info hazards")
    assert done.code == 0
    assert "allowed[E0502]: " in done.out
    assert f"\n  reason: both write 1.0 ({path}:4:26)\n" in done.out
    assert "hazard" not in done.out
    done = ran("repl", program(DOUBTED), "--strict", "-ex", "run")
    assert done.code == 1
    assert "error[E0408]" in done.out
    done = ran("repl", program(RACED.format("")), "--unchecked", "-ex", "run", "-ex", "report")
    assert done.code == 0
    assert "unchecked: races and unwritten outputs were not looked for" in done.out


def test_a_quiet_run_that_fails_says_nothing_of_warnings(ran: Any, program: Any) -> None:
    path = program(DOUBTED + ".sbuf e f32[128, 4]\n.hbm E f32[128, 4] output\n@sync DmaCopy E, e\n")
    done = ran("run", path)
    assert done.code == 1
    assert "warning[" in done.out + done.err
    quiet = ran("run", "-q", path)
    assert quiet.code == 1
    assert "hazard[" in quiet.out + quiet.err
    assert "warning[" not in quiet.out + quiet.err
