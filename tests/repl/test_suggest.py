"""Completion as a pure function: text and names in, words out."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.apps.repl import help_commands  # noqa: F401  (declares the commands)
from nasm.apps.repl.command import COMMANDS
from nasm.apps.repl.known_names import files
from nasm.apps.repl.suggest import CompletionNames, Suggestion, suggest
from tests.repl.conftest import Tried
from tests.tables import each

SOME = [
    "step",
    "try",
    "set",
    "print",
    "info",
    "list",
    "help",
    "explain",
    "load",
    "quit",
    "report",
    "restart",
    "record",
    "run",
]
"""Commands that there are; others that begin alike do not matter here."""

NAMES = CompletionNames(
    tuple(c for c in COMMANDS.values() if c.name.split()[0] in SOME),
    {
        "alias": {"tensors": "step 2"},
        "constant": {"N": "512", "TILES": "4"},
        "function": {"sum": "", "argmax": ""},
        "method": {"T": "", "reshape": ""},
        "register": {"@vector.%r0": "now 3"},
        "setting": {"plain": "for screen readers", "stop-on hazard": "stop"},
        "setting stop-on hazard": {"on": "", "off": ""},
        "engine": {"tensor": "multiplies", "vector": "adds"},
        "tensor": {"acc": "f32", "a1": "f32", "b": "bf16"},
        "semaphore": {"$loaded": "semaphore 0"},
        "line": {"2": ".sem", "19": "Wait"},
        "label": {"again": "vector pc 3"},
        "mnemonic": {"TensorCopy": "Copy.", "TensorReduce": "Reduce."},
        "code": {"E0501": "unwritten", "E0510": "deadlock"},
        "format": {"/x": "bits"},
        "memory": {"psum": "sums"},
    },
    lambda text: {f: "file" for f in ("my prog.nasm", "other.nasm") if f.startswith(text)},
    {
        "TensorReduce": {
            "dst": ("a tile", {}),
            "op": ("an operator", {"add": "the sum", "max": "the larger"}),
        }
    }.__getitem__,
)


def words(text: str) -> list[str]:
    return [s.text for s in suggest(text, NAMES)]


@each(
    ("text", "expected"),
    [
        ("st", ["step", "set"]),
        ("  st", ["step", "set"]),
        ("re", ["report", "restart", "record"]),
        ("xyz", []),
        ("xyz ", []),
        ("step ", ["tensor", "vector"]),
        ("step 3 v", ["vector"]),
        ("step 3 @", ["@tensor", "@vector"]),
        ("s@v", ["@vector"]),
        ("step vector ", []),
        ("print a", ["acc", "a1", "argmax"]),
        ("print A", ["acc", "a1", "argmax"]),
        ("p $", ["$loaded"]),
        ("p acc /", ["/x"]),
        ("p/", ["/x"]),
        ("p/x b", ["b"]),
        ("p acc[0:", ["N", "TILES"]),
        ("p acc[0, N", ["N", "TensorCopy"][:1]),
        ("p acc[0, s", ["sum"]),
        ("p acc[0, a", ["argmax", "acc", "a1"]),
        ("p acc.", ["T", "reshape"]),
        ("p acc.re", ["reshape"]),
        ("p acc ", ["/x"]),
        (
            "p acc + ",
            ["acc", "a1", "b", "$loaded", "@vector.%r0", "N", "TILES", "sum", "argmax", "/x"],
        ),
        ("p max(abs(b - ac", ["acc"]),
        ("p (\na", ["acc", "a1", "argmax"]),
        ("p @vec", ["@vector.%r0"]),
        ("p acc\nst", ["step", "set"]),
        # A subsequence comes after what begins so, with the same letter if there is such.
        ("eplain", ["explain"]),
        ("epln", ["explain"]),
        ("xpl", ["explain"]),
        ("p ld", ["$loaded"]),
        ("help tnsred", ["TensorReduce"]),
        # instructions, by their rows
        ("Te", ["TensorCopy", "TensorReduce", "tensors"]),
        ("@v", ["@vector"]),
        ("@vector Te", ["TensorCopy", "TensorReduce"]),
        ("@vector TensorReduce ", ["acc", "a1", "b", "N", "TILES", "dst=", "op="]),
        ("@vector TensorReduce o", ["op="]),
        ("@vector TensorReduce acc, b, op=", ["add", "max"]),
        ("@vector TensorReduce acc[0, a], b, op=m", ["max"]),
        ("TensorReduce op=add, o", []),
        ("TensorReduce acc, b $l", ["$loaded"]),
        # settings and what they may be
        ("set st", ["stop-on hazard"]),
        ("set stop-on hazard o", ["on", "off"]),
        ("info settings pl", ["plain"]),
        ("try @vector TensorReduce acc, b, op=m", ["max"]),
        ("try Te", ["TensorCopy", "TensorReduce"]),
        ("set a", ["acc", "a1", "argmax"]),
        ("set $l", ["$loaded"]),
        ("list 1", ["19"]),
        # aliases
        ("tens", ["tensors"]),
        ("tensors v", ["vector"]),
        ("info q", ["queues"]),
        ("info re", ["registers"]),
        ("info registers t", ["tensor"]),
        ("i banks ", ["psum"]),
        ("list a", ["again"]),
        ("help ten", ["TensorCopy", "TensorReduce"]),
        ("help E05", ["E0501", "E0510"]),
        ("explain ", []),
        ("explain E", []),
        ("explain E051", ["E0510", "E0501"]),
        ("load my p", ["my prog.nasm"]),
        ("load ", ["my prog.nasm", "other.nasm"]),
        ("quit ", []),
    ],
)
def test_what_may_follow(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_an_empty_line_offers_every_command() -> None:
    assert words("") == [*(c.name for c in NAMES.commands if " " not in c.name), "tensors"]
    assert words("info ") == [c.removeprefix("info ") for c in COMMANDS if c.startswith("info ")]


def test_a_suggestion_replaces_what_was_typed_of_it_and_says_what_it_is() -> None:
    assert suggest("step 3 ve", NAMES) == [Suggestion("vector", 2, "adds")]
    assert suggest("p acc $lo", NAMES) == [Suggestion("$loaded", 3, "semaphore 0")]
    assert suggest("load my p", NAMES) == [Suggestion("my prog.nasm", 4, "file")]


def test_a_word_in_the_case_that_was_typed_comes_first() -> None:
    both = CompletionNames(NAMES.commands, {"tensor": {"A": "device", "a": "chip"}})
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
    assert found["semaphore"] == {"$loaded": "semaphore 0, now 0", "$done": "semaphore 1, now 0"}
    assert found["label"] == {"again": "alpha pc 1"}
    assert found["mnemonic"]["Set"] == "Put a number into a register."
    assert found["memory"].keys() == toy.shell.program.generation.memories.keys()
    assert found["line"]["13"] == "Wait $done++"
    assert found["register"] == {}
    toy.does("step 2 alpha")
    assert found["register"] == {"@alpha.%r0": "now 1"}  # as it is now
    assert found["setting width"].keys() == {"auto"}


def test_the_operands_of_an_instruction(toy: Tried) -> None:
    found = toy.shell.names.operands("Add")
    assert list(found) == ["dst", "a", "b"]
    assert toy.shell.names.operands("Nothing") == {}


def test_without_a_program_there_are_no_words_of_one(bare: Tried) -> None:
    found = bare.shell.names.words
    for kind in ("engine", "tensor", "semaphore", "register", "constant", "label", "line"):
        assert not found[kind]
    for kind in ("code", "topic", "setting", "function", "mnemonic"):
        assert found[kind]


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
