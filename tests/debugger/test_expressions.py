"""Expressions between two events: values worked by hand on the toy, and what is not known yet."""

from __future__ import annotations

import numpy as np
import pytest

from nasm import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.machine.outlines import NoValues
from tests.repl.conftest import COUNTDOWN
from tests.toy.target import TARGETS


@pytest.fixture
def toy() -> Session:
    return Session.load(Source("toy.nasm", COUNTDOWN), targets=TARGETS)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("3 + 4 * 2", 11.0),
        ("X[1, 1]", [3.0]),
        ("X[3]", [6.0, 7.0]),
        ("X[:, 1]", [1.0, 3.0, 5.0, 7.0]),
        ("X.T", [[0.0, 2.0, 4.0, 6.0], [1.0, 3.0, 5.0, 7.0]]),
        ("X[:, 1].reshape(2, 2)", [[1.0, 3.0], [5.0, 7.0]]),
        ("X[1:3].permute(1, 0)", [[2.0, 4.0], [3.0, 5.0]]),
        ("sum(X)", 28.0),
        ("sum(X, axis=0)", [12.0, 16.0]),
        ("max(abs(X - 3))", 4.0),
        ("argmax(X, axis=1)[1:3]", [1.0, 1.0]),
        ("X.T @ X", [[56.0, 68.0], [68.0, 84.0]]),
        ("X[0:2] >= 2", [[False, False], [True, True]]),
        ("X[0] == 0 and not (X[1] > 2)", [True, False]),
        ("where(X > 5, X, -1)[2:4]", [[-1.0, -1.0], [6.0, 7.0]]),
        ("[1, 2, 4]", [1.0, 2.0, 4.0]),
        ("7 & 12 | 1", 5.0),
        ("$loaded", 0),
        ("$loaded + 1 > 0", True),
        ("cycles(alpha)", 0.0),
        ("time_us()", 0.0),
        ("sizeof(X)", 32.0),
        ("shape(X, 1)", 2.0),
    ],
)
def test_a_value(toy: Session, text: str, wanted: object) -> None:
    found = toy.evaluate(text)
    assert found.missing is None
    assert found.shape == np.shape(wanted)
    assert found.array.tolist() == wanted


def test_a_tensor_keeps_its_dtype_and_what_is_computed_has_none(toy: Session) -> None:
    seen = toy.evaluate("X[:, 1].reshape(2, 2)")
    assert seen.dtype is not None
    assert seen.dtype.name == "float32"
    assert seen.view is None or seen.view.shape == (2, 2)
    assert toy.evaluate("X + 1").dtype is None
    assert toy.evaluate("X.view(uint32)").array[0].tolist() == [0, 0x3F800000]
    assert toy.evaluate("X.view(u8)[0, 4:8] + 0").array.tolist() == [0, 0, 0x80, 0x3F]


def test_semaphores_and_registers_follow_the_run(toy: Session) -> None:
    loaded, register = toy.expressions.parsed("$loaded >= 2"), toy.expressions.parsed("@alpha.%r0")
    assert not loaded.value(toy).holds
    assert register.value(toy).number is None
    toy.step("alpha", 1)
    assert register.value(toy).number == 2
    assert toy.evaluate("@0.alpha.%r0 & 3").number == 2
    assert toy.evaluate("X[@alpha.%r0]").array.tolist() == [4.0, 5.0]
    toy.run()
    assert register.value(toy).number == 0
    assert loaded.value(toy).holds
    assert toy.evaluate("max(abs(y - 2 * X))").number == 0


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("x", [[1, 1], [0, 1]]),
        ("x[1, 0]", [0]),
        ("x[1:2, 0:1] + x[0, 1]", [[1]]),
        ("X[0:2] * x", [[1, 1], [0, 1]]),
        ("x.T", [[1, 0], [1, 1]]),
        ("sum(x, axis=1)", [1, 1]),
        ("sum(x)", 1),
        ("sum(x[1, 0:1])", 0),
        ("cumsum(x)[1]", [0, 1]),
        ("softmax(x, axis=0)", [[1, 1], [1, 1]]),
        ("x[:, 0:1] @ X[0:1]", [[1, 1], [0, 0]]),
        ("max(x, 3)", [[1, 1], [0, 1]]),
        ("not (x > 0)", [[1, 1], [0, 1]]),
        ("-x[1]", [0, 1]),
        ("@alpha.%r0 + X[0]", [1, 1]),
        ("[x[1, 0], 2]", [0, 0]),
        ("x.view(u8)[1] + 0", [0, 0, 0, 0, 1, 1, 1, 1]),
    ],
)
def test_what_is_on_nothing_written_is_not_known(text: str, missing: object) -> None:
    program = """\
.target toy
.ram   X  f32[4, 2]  input = iota
.bank  x  f32[2, 2]
@beta   Move   x[1:2, 0:1], X[3:4, 0:1]
"""
    session = Session.load(Source("toy.nasm", program), targets=TARGETS)
    session.run()
    found = session.evaluate(text)
    told = np.zeros(found.shape) if found.missing is None else found.missing
    assert told.astype(int).tolist() == missing
    assert found.known((slice(None),) * len(found.shape)).shape == found.shape


def test_an_element_of_which_a_byte_is_missing_is_not_known() -> None:
    program = """\
.target toy
.ram   X  f32[4, 2]  input = iota
.bank  x  f32[2, 2]
@beta   Move   x[1:2].view(u8)[:, 0:6], X[3:4].view(u8)[:, 0:6]
"""
    session = Session.load(Source("toy.nasm", program), targets=TARGETS)
    session.run()
    found = session.evaluate("x")
    assert found.missing is not None
    assert found.missing.tolist() == [[True, True], [False, True]]
    assert session.known("x").tolist() == [[False, False], [True, False]]
    assert session.memory.written("x") == 0.25


def test_names_are_given_with_each_question(toy: Session) -> None:
    asked = toy.expressions.parsed("X[t, t // 2] == 2 * t", names=("t",))
    assert [asked.value(toy, {"t": t}).holds for t in range(3)] == [True, True, False]
    assert toy.expressions.parsed("X[2 * t]", names=("t",)).value(toy, {"t": 1}).array.tolist() == [
        4,
        5,
    ]
    with pytest.raises(Failure, match="index 8 is outside axis 0"):
        toy.expressions.parsed("X[2 * t]", names=("t",)).value(toy, {"t": 4})


@pytest.mark.parametrize(
    ("text", "said", "at"),
    [
        ("3 +", "wanted a value after '\\+'", (3, 4)),
        ("sum(X) + Y9", "nothing is called 'Y9'", (9, 11)),
        ("1 + $lodaed", "no semaphore '\\$lodaed'", (4, 11)),
        ("1 + @gamma.%r0", "no engine 'gamma'", (4, 14)),
        ("@alpha.%r9", "no register %r9", (0, 10)),
        ("X[%r0]", "starts where a register says", (0, 6)),
        ("%r0 + 1", "whose register %r0 is it", (0, 3)),
        ("X[9]", "index 9 is outside axis 0", (0, 4)),
        ("2 * X[$loaded + 7]", "index 7 is outside axis 0", (4, 18)),
        ("X[:, 1].reshape(3, 2)", "does not fit the shape", (0, 21)),
        ("X.foo(2)", "no .foo", (0, 8)),
        ("foo(X)", "no function 'foo'", (0, 3)),
        ("X & 1", "is a tensor", (0, 5)),
        ("cycles(gamma)", "no engine 'gamma'", (7, 12)),
        ("X + [1, 2, 3]", "do not match", (0, 13)),
        ("1 < 2 < 3", "comparisons do not chain", (6, 7)),
        ("$loaded & @alpha.%r0", "a register that was not set", (0, 20)),
        ('"file.npy"', "a file is nothing to compute with", (0, 10)),
    ],
)
def test_what_cannot_be_computed_is_refused_at_its_place(
    toy: Session, text: str, said: str, at: tuple[int, int]
) -> None:
    with pytest.raises(Failure, match=said) as caught:
        toy.evaluate(text).array  # noqa: B018
    span = caught.value.problems[0].span
    assert span is not None
    assert (span.start, span.end) == at
    assert span.source.text == text


def test_names_that_hide_semaphores_clash_with_nothing() -> None:
    program = """\
.target toy
.ram   __  f32[2]  input = [3, 3]
.ram   a_  f32[2]  input = [5, 5]
.sem   s, t
"""
    session = Session.load(Source("toy.nasm", program), targets=TARGETS)
    session.machine.scheduler.semaphores[session.program.semaphores["s"]].value = 7
    assert session.evaluate("$s + __[0] + a_[1] - $t").number == 15


def test_without_values_numbers_and_counters_are_known_and_tensors_are_refused() -> None:
    session = Session.load(Source("toy.nasm", COUNTDOWN), targets=TARGETS, values=False)
    session.run()
    assert session.evaluate("$loaded * 2").number == 4
    with pytest.raises(NoValues):
        session.evaluate("X + 1")
    with pytest.raises(NoValues):
        session.evaluate("X")


def test_asking_changes_nothing(toy: Session) -> None:
    other = Session.load(Source("toy.nasm", COUNTDOWN), targets=TARGETS)
    while not toy.over:
        for text in ("x[0:2].T + X[0, 0]", "sum(y)", "@alpha.%r0 + $loaded", "x.view(u8)"):
            toy.evaluate(text).array  # noqa: B018
        toy.step()
    wanted = other.run()
    found = toy.report()
    assert (found.trace_hash, found.memory_hash) == (wanted.trace_hash, wanted.memory_hash)
    assert found.hazards == wanted.hazards
