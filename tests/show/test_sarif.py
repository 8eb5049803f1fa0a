"""What --sarif writes: objects have the properties of SARIF 2.1.0, and what they say is true."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from nasm.apps.cli import main
from nasm.base.problems import Note, Problem, Severity
from nasm.base.source import Frame, Source, Span
from nasm.base.suppressions import Allow, AllowedProblem
from nasm.language import codes
from nasm.show import sarif
from tests.cli.programs import ENDLESS
from tests.schedules.programs import FIVE, HEAD

OBJECTS: dict[str, dict[str, str]] = {
    "log": {"$schema": "text", "version!": "version", "runs!": "[run]"},
    "run": {
        "tool!": "tool",
        "invocations": "[invocation]",
        "columnKind": "kind of columns",
        "results": "[result]",
    },
    "tool": {"driver!": "component"},
    "component": {"name!": "text", "version": "text", "rules": "[rule]"},
    "invocation": {"executionSuccessful!": "flag"},
    "rule": {
        "id!": "text",
        "shortDescription": "message",
        "fullDescription": "message",
        "help": "message",
        "defaultConfiguration": "configuration",
        "properties": "bag",
    },
    "configuration": {"level": "level"},
    "message": {"text!": "text", "markdown": "text"},
    "result": {
        "ruleId": "text",
        "ruleIndex": "index",
        "level": "level",
        "message!": "message",
        "locations": "[location]",
        "relatedLocations": "[location]",
        "suppressions": "[suppression]",
        "properties": "bag",
    },
    "suppression": {
        "kind!": "kind of suppression",
        "status": "status",
        "justification": "text",
        "location": "location",
    },
    "location": {"id": "index", "physicalLocation": "place", "message": "message"},
    "place": {"artifactLocation": "file", "region": "region"},
    "file": {"uri": "uri"},
    "region": {
        "startLine": "number",
        "startColumn": "number",
        "endLine": "number",
        "endColumn": "number",
        "snippet": "message",
    },
}
"""The part of the standard that is used: properties by object, ! for those that must be there."""

VALUES: dict[str, Any] = {
    "text": lambda v: isinstance(v, str),
    "flag": lambda v: isinstance(v, bool),
    "index": lambda v: type(v) is int and v >= 0,
    "number": lambda v: type(v) is int and v >= 1,
    "bag": lambda v: isinstance(v, dict),
    "uri": lambda v: isinstance(v, str) and v.isascii() and not set(v) & set(' <>"{}|\\^`'),
    "version": ("2.1.0",),
    "level": ("none", "note", "warning", "error"),
    "kind of columns": ("utf16CodeUnits", "unicodeCodePoints"),
    "kind of suppression": ("inSource", "external"),
    "status": ("accepted", "underReview", "rejected"),
}


def wrong(value: Any, kind: str, path: str = "log") -> Iterator[str]:
    """What of a value is not as the standard has it."""
    if kind.startswith("["):
        for n, item in enumerate(value):
            yield from wrong(item, kind[1:-1], f"{path}[{n}]")
    elif kind in OBJECTS:
        known = {name.rstrip("!"): of for name, of in OBJECTS[kind].items()}
        yield from (f"{path}.{name} is unknown" for name in value.keys() - known.keys())
        needed = {name[:-1] for name in OBJECTS[kind] if name.endswith("!")}
        yield from (f"{path}.{name} is missing" for name in needed - value.keys())
        for name, of in known.items():
            if name in value:
                yield from wrong(value[name], of, f"{path}.{name}")
    else:
        fits = VALUES[kind]
        if not (value in fits if isinstance(fits, tuple) else fits(value)):
            yield f"{path} is {value!r}, no {kind}"


TEXT = Source("my programs/a.nasm", "@gpsimd Memset c\n@vector Memset c ; nasm: allow E0502 so µ")
FIRST, SECOND, COMMENT = (
    Span(TEXT, TEXT.text.index(part), TEXT.text.index(part) + len(part))
    for part in ("@gpsimd Memset c", "@vector Memset c", "; nasm: allow E0502 so µ")
)
RACE = Problem(
    "E0502",
    "a race",
    SECOND.within((Frame(".for k = 1", FIRST),)),
    "wait for it",
    (Note("the other is here", FIRST, party=True), Note("that is all")),
    facts={"kind": "write-write"},
)


def results(*problems: Problem, allowed: Any = ()) -> list[dict[str, Any]]:
    made = sarif.log([sarif.ProgramProblems("p.nasm", problems, allowed)])
    assert list(wrong(made, "log")) == []
    found: list[dict[str, Any]] = made["runs"][0]["results"]
    return found


def test_a_problem_is_a_result_at_its_place_with_its_notes_and_expansions() -> None:
    (found,) = results(RACE)
    assert (found["ruleId"], found["level"]) == ("E0502", "error")
    assert found["message"]["text"] == "a race\nthat is all\nwait for it"
    (place,) = found["locations"]
    place = place["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "my%20programs/a.nasm"
    assert place["region"] == {
        "startLine": 2,
        "startColumn": 1,
        "endLine": 2,
        "endColumn": 17,
        "snippet": {"text": "@vector Memset c"},
    }
    related = found["relatedLocations"]
    said = [(r["message"]["text"], r["physicalLocation"]["region"]["startLine"]) for r in related]
    assert said == [("the other is here", 1), ("in .for k = 1", 1)]
    assert found["properties"] == {"kind": "write-write"}
    assert "suppressions" not in found


def test_a_problem_without_a_place_is_in_its_file() -> None:
    (found,) = results(Problem("E0802", "no values"))
    place = {"physicalLocation": {"artifactLocation": {"uri": "p.nasm"}}}
    assert found["locations"] == [place]


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("<stdin>", "%3Cstdin%3E"),
        ("/a b/c.nasm", "file:///a%20b/c.nasm"),
        ("c:d#e?.nasm", "c%3Ad%23e%3F.nasm"),
    ],
)
def test_a_file_is_a_uri_whatever_it_is_called(name: str, uri: str) -> None:
    made = sarif.log([sarif.ProgramProblems(name, [Problem("E0802", "m")])])
    assert list(wrong(made, "log")) == []
    assert f'"uri": "{uri}"' in json.dumps(made)


@pytest.mark.parametrize("severity", Severity)
def test_the_level_is_the_severity(severity: Severity) -> None:
    (found,) = results(Problem("E0514", "m", SECOND, severity=severity))
    assert found["level"] == severity.value


def test_what_is_allowed_is_suppressed_with_its_reason() -> None:
    written = AllowedProblem(RACE, Allow("E0502", "so µ", COMMENT, 2))
    given = AllowedProblem(RACE, Allow("E0502"))
    here, everywhere = results(allowed=[written, given])
    (suppression,) = here["suppressions"]
    assert suppression["kind"] == "inSource"
    assert suppression["justification"] == "so µ"
    region = suppression["location"]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (2, 18, 42)
    assert everywhere["suppressions"] == [{"kind": "external", "status": "accepted"}]


def test_rules_are_the_codes_that_occur_and_results_point_at_theirs() -> None:
    found = [Problem(code, "m") for code in ("W0101", "E0502", "E0101", "E0502", "E0221")]
    made = sarif.log([sarif.ProgramProblems("p.nasm", found)])
    (run,) = made["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["E0101", "E0221", "E0502", "W0101"]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    assert rules[3]["defaultConfiguration"] == {"level": "warning"}


def test_every_code_makes_a_rule() -> None:
    every = [Problem(row.code, "m") for row in codes.table()]
    made = sarif.log([sarif.ProgramProblems("p.nasm", every)])
    assert list(wrong(made, "log")) == []
    rules = made["runs"][0]["tool"]["driver"]["rules"]
    assert len(rules) == len(every)
    assert not any("`" in rule["fullDescription"]["text"] for rule in rules)


def test_a_log_that_is_not_as_the_standard_has_it_is_found() -> None:
    made = sarif.log([sarif.ProgramProblems("p.nasm", [RACE])])
    result = made["runs"][0]["results"][0]
    result["level"] = "hazard"
    result["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    del result["message"]
    made["runs"][0]["more"] = 1
    assert len(list(wrong(made, "log"))) == 4


# -- the command

LUCKY = HEAD + FIVE["right by luck of time"]
RACED = """\
.target trn1
.sbuf  c  f32[128, 512]
@gpsimd Memset  c, 1.0
@vector Memset  c, 1.0{}
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "p.nasm") -> str:
        Path(name).write_text(text, encoding="utf-8")
        return name

    return write


def read(path: str = "o.sarif") -> list[dict[str, Any]]:
    made = json.loads(Path(path).read_text("ascii"))
    assert list(wrong(made, "log")) == []
    found: list[dict[str, Any]] = made["runs"][0]["results"]
    return found


def test_a_run_writes_its_problems(program: Any) -> None:
    assert main(["run", program(RACED.format("")), "--sarif", "o.sarif"]) == 1
    (found,) = read()
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "p.nasm"
    assert place["region"]["snippet"]["text"] == "Memset  c, 1.0"
    assert found["relatedLocations"]


def test_a_run_writes_what_is_allowed(program: Any) -> None:
    allow = "  ; nasm: allow E0502 both write 1.0"
    assert main(["run", program(RACED.format(allow)), "--sarif", "o.sarif"]) == 0
    (found,) = read()
    assert found["suppressions"][0]["justification"] == "both write 1.0"


def test_a_run_without_a_problem_writes_an_empty_log(program: Any) -> None:
    assert main(["run", program(".target trn1\n@sync Nop\n"), "--sarif", "o.sarif"]) == 0
    assert read() == []


def test_a_program_that_does_not_assemble_has_a_log(program: Any) -> None:
    path = program(".target trn1\n@sync Npo\n@sync Nop 5\n")
    assert main(["run", path, "--sarif", "o.sarif"]) == 2
    assert [r["ruleId"] for r in read()] == ["E0201", "E0307"]


def test_a_run_that_is_out_of_time_has_a_log(program: Any) -> None:
    given = ["run", program(ENDLESS), "--max-instructions", "none", "--timeout", "0.3"]
    assert main([*given, "--sarif", "o.sarif"]) == 124
    assert [r["ruleId"] for r in read()] == ["E0516"]


def test_an_expectation_that_failed_is_a_result_at_its_line(program: Any) -> None:
    path = program(".target trn1\n.sbuf t f32[4, 4] = zeros\n.expect t == 0\n.expect t == 1\n")
    assert main(["run", path, "--sarif", "o.sarif"]) == 1
    (found,) = read()
    assert (found["ruleId"], found["level"]) == ("E0528", "error")
    assert "t == 1" in found["message"]["text"]
    assert found["locations"][0]["physicalLocation"]["region"]["startLine"] == 4


@pytest.mark.parametrize(
    ("text", "more", "rule"),
    [
        (".sem s\n@sync Nop  $s >= 1\n", [], "E0510"),
        ("@sync Nop\n@sync Nop\n", ["--max-instructions", "1"], "E0511"),
        (LUCKY, ["--schedules", "8", "--allow", "E0502"], "E0529"),
    ],
)
def test_every_end_that_fails_is_a_result(
    program: Any, text: str, more: list[str], rule: str
) -> None:
    path = program(text if ".target" in text else f".target trn1\n{text}")
    assert main(["run", path, "--sarif", "o.sarif", *more]) == 1
    assert rule in [r["ruleId"] for r in read()]


@pytest.mark.parametrize("verb", ["run", "check"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ZeroDivisionError])
def test_a_log_of_work_that_was_cut_short_says_so(
    program: Any, monkeypatch: pytest.MonkeyPatch, verb: str, error: type[BaseException]
) -> None:
    def cut(*args: Any, **kwargs: Any) -> None:
        raise error

    place = {"run": "nasm.apps.cli.files.program", "check": "nasm.apps.cli.programs.assembled"}[
        verb
    ]
    path = program(".target trn1\n@sync Nop\n")
    monkeypatch.setattr(place, cut)
    monkeypatch.setenv("XDG_STATE_HOME", str(Path.cwd()))
    code = main([verb, path, "--sarif", "o.sarif"])
    assert code == {KeyboardInterrupt: 130, MemoryError: 2, ZeroDivisionError: 70}[error]
    log = json.loads(Path("o.sarif").read_text("ascii"))["runs"][0]
    found = [result["ruleId"] for result in log["results"]]
    if (verb, error) == ("check", MemoryError):  # which goes on with the next file
        assert found == ["E0808"]
    else:
        assert (found, log["invocations"]) == ([], [{"executionSuccessful": False}])


def test_a_check_writes_one_log_of_all_files(program: Any) -> None:
    bad, good = program(".target trn1\n@sync Npo\n", "bad.nasm"), program(RACED.format(""))
    assert main(["check", bad, good, bad, "--sarif", "o.sarif"]) == 2
    files = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in read()]
    assert [name for name, _ in groupby(files)] == ["bad.nasm", "p.nasm", "bad.nasm"]
    assert {r["ruleId"] for r in read()} >= {"E0201", "E0502"}


@pytest.mark.parametrize("verb", ["run", "check"])
def test_it_may_go_to_standard_output_alone(
    program: Any, verb: str, capfd: pytest.CaptureFixture[str]
) -> None:
    main([verb, program(RACED.format("")), "--sarif", "-"])
    said = capfd.readouterr()
    assert json.loads(said.out)["version"] == "2.1.0"
    assert "p.nasm" in said.err


@pytest.mark.parametrize("verb", ["run", "check"])
@pytest.mark.parametrize(
    ("given", "code"),
    [
        (["--sarif", "p.nasm"], "E0813"),
        (["--sarif", "t.toml", "--timing", "t.toml"], "E0813"),
        (["--sarif", "-", "--json"], "E0813"),
        (["--sarif", "no/such/folder/o.sarif"], "E0806"),
    ],
)
def test_it_is_written_over_nothing_and_that_is_reported_before(
    program: Any, verb: str, given: list[str], code: str, capfd: pytest.CaptureFixture[str]
) -> None:
    program("semaphore_ns = 25\n", "t.toml")
    text = ".target trn1\n@sync Npo\n"
    path = program(text)
    assert main([verb, path, *given]) == 2
    said = capfd.readouterr()
    assert code in said.err + said.out
    assert "E0201" not in said.err + said.out
    assert Path(path).read_text() == text
    assert Path("t.toml").read_text() == "semaphore_ns = 25\n"


def test_no_output_goes_where_the_log_goes(
    program: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = program(RACED.format(""))
    assert main(["run", path, "--sarif", "o.npy", "--out", "c=o.npy"]) == 2
    assert "cannot write the SARIF log to o.npy: c goes there" in capsys.readouterr().err
