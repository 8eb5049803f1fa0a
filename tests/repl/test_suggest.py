"""Completion as a pure function: text and names in, words out."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.repl import help_commands  # noqa: F401  (declares the commands)
from nasm.repl.command import COMMANDS
from nasm.repl.naming import files, names
from nasm.repl.suggest import Names, Suggestion, suggest
from tests.repl.conftest import Tried

NAMES = Names(
    tuple(COMMANDS.values()),
    {
        "engine": {"tensor": "multiplies", "vector": "adds"},
        "tensor": {"acc": "f32", "a1": "f32", "b": "bf16"},
        "semaphore": {"$loaded": "semaphore 0"},
        "label": {"again": "vector pc 3"},
        "mnemonic": {"TensorCopy": "Copy.", "TensorReduce": "Reduce."},
        "code": {"E0501": "unwritten", "E0510": "deadlock"},
        "format": {"/x": "bits"},
        "memory": {"psum": "sums"},
    },
    lambda text: {f: "file" for f in ("my prog.nasm", "other.nasm") if f.startswith(text)},
)


def words(text: str) -> list[str]:
    return [s.text for s in suggest(text, NAMES)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("st", ["step"]),
        ("  st", ["step"]),
        ("re", ["report", "restart", "record"]),
        ("xyz", []),
        ("xyz ", []),
        ("step ", ["tensor", "vector"]),
        ("step 3 v", ["vector"]),
        ("step 3 @", ["@tensor", "@vector"]),
        ("s@v", ["@vector"]),
        ("step vector ", []),
        ("print a", ["acc", "a1"]),
        ("print A", ["acc", "a1"]),
        ("p $", ["$loaded"]),
        ("p acc /", ["/x"]),
        ("p/", ["/x"]),
        ("p/x b", ["b"]),
        ("p acc[0:", []),
        ("p acc[0, a", []),
        ("p acc.", []),
        ("info q", ["queues"]),
        ("info re", ["registers"]),
        ("info registers t", ["tensor"]),
        ("i banks ", ["psum"]),
        ("list a", ["again"]),
        ("help ten", ["TensorCopy", "TensorReduce"]),
        ("help E05", ["E0501", "E0510"]),
        ("explain ", []),
        ("explain E", []),
        ("explain E051", ["E0510"]),
        ("load my p", ["my prog.nasm"]),
        ("load ", ["my prog.nasm", "other.nasm"]),
        ("quit ", []),
    ],
)
def test_what_may_follow(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_an_empty_line_offers_every_command() -> None:
    assert words("") == [c for c in COMMANDS if " " not in c]
    assert words("info ") == [c.removeprefix("info ") for c in COMMANDS if c.startswith("info ")]


def test_a_suggestion_replaces_what_was_typed_of_it_and_says_what_it_is() -> None:
    assert suggest("step 3 ve", NAMES) == [Suggestion("vector", 2, "adds")]
    assert suggest("p acc $lo", NAMES) == [Suggestion("$loaded", 3, "semaphore 0")]
    assert suggest("load my p", NAMES) == [Suggestion("my prog.nasm", 4, "file")]


def test_a_word_in_the_case_that_was_typed_comes_first() -> None:
    both = Names(NAMES.commands, {"tensor": {"A": "device", "a": "chip"}})
    assert [s.text for s in suggest("p a", both)] == ["a", "A"]
    assert [s.text for s in suggest("p A", both)] == ["A", "a"]


def test_no_text_breaks_it() -> None:
    for command in COMMANDS:
        for tail in ("", " ", " [", " $", " @", " / ", " %r", " \t", " {}", " ]]["):
            suggest(command + tail, NAMES)
            suggest(tail, NAMES)


def test_the_names_of_a_program(toy: Tried) -> None:
    found = toy.shell.names.words
    assert found["engine"] == {"alpha": "the fast one", "beta": "the slow one"}
    assert found["tensor"]["X"] == "float32[4, 2] in ram"
    assert found["semaphore"] == {"$loaded": "semaphore 0", "$done": "semaphore 1"}
    assert found["label"] == {"again": "alpha pc 1"}
    assert found["mnemonic"]["Set"] == "Put a number into a register."
    assert found["memory"].keys() == {"bank"}


def test_without_a_program_there_are_commands_and_codes() -> None:
    assert names(None).words.keys() == {"format", "check", "setting", "code"}


def test_files_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "deep.nasm").touch()
    (tmp_path / "some.nasm").touch()
    (tmp_path / ".hidden").touch()
    assert files("s") == {"some.nasm": "file", "sub/": "folder"}
    assert files("sub/") == {"sub/deep.nasm": "file"}
    assert files("") == {"some.nasm": "file", "sub/": "folder"}
    assert files(".h") == {".hidden": "file"}
    assert files("missing/x") == {}
