"""A name is a name: whatever makes it, it is an identifier or an error."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import nasm
from nasm.base.names import LONGEST, identifier
from nasm.base.problems import Failure, Problem, Refused
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.program.builder import ProgramBuilder
from nasm.targets import TARGETS
from nasm.views.view import View
from tests.tables import each

STRINGS = [
    "/x",
    "..",
    "../x",
    "a/b",
    "a\nb",
    "a b",
    " ",
    "\x1b[2J",
    "",
    "-1",
    "é",
    "a\u202eb",
    "1a",
]
"""None of them is a name."""

DECLARATIONS = {
    "tensor": ".hbm {} f32[4]",
    "semaphore": ".sem {}",
    "event": ".event {}",
    "label": "@vector\n{}: Nop",
    "transfer": ".hbm a f32[4]\n.hbm b f32[4]\n.dma {}\nb <- a\n.end",
}


def problem(text: str) -> Problem:
    with pytest.raises(Failure) as caught:
        assemble(Source("test.nasm", f".target trn2\n{text}"), TARGETS)
    (found,) = caught.value.problems
    return found


def spelled(text: str) -> str:
    """A string as the language writes it."""
    return text.replace("\n", "\\n")


@each("text", STRINGS)
@each("kind", DECLARATIONS)
def test_braces_make_no_other_names(kind: str, text: str) -> None:
    found = problem(DECLARATIONS[kind].format(f'{{"{spelled(text)}"}}'))
    assert found.code == "E0209"
    assert "\n" not in found.message
    assert found.message.isprintable()
    assert found.span is not None
    assert found.span.text == f'{{"{spelled(text)}"}}'


@pytest.mark.parametrize("kind", DECLARATIONS)
def test_a_negative_number_makes_no_name(kind: str) -> None:
    found = problem(DECLARATIONS[kind].format("t{-1}"))
    assert (found.code, found.message) == ("E0209", "t{-1} makes 't-1', which is no name")


@pytest.mark.parametrize("kind", DECLARATIONS)
def test_braces_make_no_reserved_word(kind: str) -> None:
    found = problem(DECLARATIONS[kind].format('a{"nd"}'))
    assert found.message == "a{\"nd\"} makes 'and', which has a meaning of its own"


@each("word", ["true", "false", "inf", "nan"])
@each("line", [*DECLARATIONS.values(), ".const {} = 1", ".for {} in 0..1\n.end"])
def test_what_means_something_everywhere_is_declared_nowhere(line: str, word: str) -> None:
    assert problem(line.format(word)).message == f"'{word}' has a meaning of its own"


@pytest.mark.parametrize("line", [*DECLARATIONS.values(), ".const {} = 1", ".for {} in 0..1\n.end"])
def test_a_name_has_a_longest(line: str) -> None:
    assemble(Source("test.nasm", f".target trn2\n{line.format('x' * LONGEST)}"), TARGETS)
    found = problem(line.format("x" * (LONGEST + 1)))
    assert (found.code, found.message) == ("E0209", "a name of 201 characters")


def test_a_name_that_is_looked_up_is_one_too() -> None:
    found = problem("@vector Nop $s{-1} >= 1")
    assert (found.code, found.message) == ("E0209", "s{-1} makes 's-1', which is no name")


def test_a_message_repeats_only_the_beginning_of_a_long_string() -> None:
    found = problem(f'.sem {{"{"/" * 1000}"}}')
    assert len(found.message) < 200


PYTHON: dict[str, Callable[[nasm.Builder, str], object]] = {
    "tensor": lambda b, name: b.hbm(name, "f32", (4,)),
    "semaphore": lambda b, name: b.semaphore(name),
    "event": lambda b, name: b.event(name),
    "label": lambda b, name: b.vector.label(name),
    "transfer": lambda b, name: b.transfer(name, (T(b), T(b))),
}


def T(b: nasm.Builder) -> View:  # noqa: N802
    known = b.core.program.tensors.get("t")
    return View.whole(known) if known else b.hbm("t", "f32", (4,))


@each("name", [*STRINGS, "and", "nan", 3, None, b"x", "x" * 201], ids=repr)
@each("kind", PYTHON)
def test_python_makes_no_other_names(kind: str, name: str) -> None:
    with pytest.raises(Failure) as caught:
        PYTHON[kind](nasm.Builder("trn2"), name)
    (found,) = caught.value.problems
    assert found.code == "E0209"
    assert found.span is not None
    assert found.span.source.name == __file__
    assert found.message.isprintable()


def test_the_builder_below_refuses_them_too() -> None:
    target = TARGETS["trn2"]()
    generation = target.generation("trn2")
    assert generation is not None
    with pytest.raises(Refused, match="no name"):
        ProgramBuilder(target, generation).semaphore("../x")


def test_a_string_of_another_class_becomes_a_plain_one() -> None:
    class Named(str):
        pass

    assert type(identifier(Named("x"))) is str
