"""Names of expressions: what they stand for, when, and what cannot be one."""

from __future__ import annotations

import pytest

from nasm import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.text.aliases import LONGEST, spelled
from tests.repl.conftest import COUNTDOWN
from tests.toy.target import TARGETS


def session(text: str = COUNTDOWN) -> Session:
    return Session.load(Source("toy.nasm", text), targets=TARGETS)


@pytest.fixture
def toy() -> Session:
    return session()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("two * X", "(1 + 1) * X"),
        ("two", "(1 + 1)"),
        ("row[0, 1]", "x[1][0, 1]"),
        ("$row + @alpha.%r0 + 7 %r0", "$row + @alpha.%r0 + 7 %r0"),
        ("sum(row, row=1, row = 2)", "sum(x[1], row=1, row = 2)"),
        ("row == two", "x[1] == (1 + 1)"),
        ("X.row + row.T", "X.row + x[1].T"),
        ("row(3) + X{two} + row{two}_two", "row(3) + X{(1 + 1)} + row{(1 + 1)}_two"),
        ('"row" + rows + arow + 1row', '"row" + rows + arow + 1row'),
        ("A @row @ row", "A @x[1] @ x[1]"),
        ("all - far", "(x[1] - (1 + 1)) - max(x[1], (1 + 1))"),
    ],
)
def test_a_name_is_replaced_where_it_is_for_itself(text: str, wanted: str) -> None:
    named = {
        "two": "1 + 1", "row": "x[1]", "all": "row - two", "far": "max(row, two)", "r0": "9"
    }  # fmt: skip
    assert spelled(text, named) == wanted


def test_what_hides_a_name_hides_it_only_where_somebody_wrote_it() -> None:
    assert spelled("a + k", {"a": "k + 1", "k": "5"}, {"k"}) == "((5) + 1) + k"


def test_a_name_is_what_its_expression_is_when_it_is_used(toy: Session) -> None:
    toy.let("err", "y - X")
    toy.let("worst", "max(abs(err))")
    assert toy.evaluate("worst").number is None
    toy.run(hashes=False)
    assert toy.evaluate("err[1]").array.tolist() == [2.0, 3.0]  # y is 2X, X counts from 0
    assert toy.evaluate("worst").number == 7.0
    assert toy.evaluate("worst at start").number is None
    assert toy.evaluate("worst at end").number == 7.0


def test_a_name_of_a_part_of_a_tensor_is_a_place(toy: Session) -> None:
    toy.let("corner", "y[3, 1]")
    toy.let("posts", "$loaded")
    toy.let("left", "@alpha.%r0")
    toy.watch("corner")
    toy.watch("left")
    stops = []
    while True:
        toy.run(hashes=False)
        if not toy.hits:
            break
        stops.append(str(toy.hits[0].met.text).split(", by")[0].split(" by ")[0])
    assert stops == [
        "%r0 of alpha unset -> 2", "%r0 of alpha 2 -> 1", "%r0 of alpha 1 -> 0", "corner changed"
    ]  # fmt: skip
    toy.set("corner", 5)
    toy.set("posts", 7)
    assert toy.read("y").tolist()[3] == [12.0, 5.0]
    assert toy.evaluate("posts + left").number == 7.0
    assert toy.who("posts") == toy.who("$loaded")
    assert toy.who("left") == toy.who("@alpha.%r0") != ()
    assert str(toy.last_write("corner")) == str(toy.last_write("y[3, 1]")).replace(
        "y[3, 1]:", "corner:"
    )


def test_a_condition_follows_what_a_name_is_for(toy: Session) -> None:
    toy.let("wanted", "2")
    one = toy.break_at("again", condition="@alpha.%r0 == wanted")
    toy.let("wanted", "1")
    toy.run(hashes=False)
    assert [hit.breakpoint.number for hit in toy.hits] == [one.number]
    assert toy.evaluate("@alpha.%r0").number == 1.0
    with pytest.raises(Refused, match=r"breakpoint 1.*nothing is called 'wanted'"):
        toy.unlet("wanted")
    toy.let("place", "y[0]")
    toy.watch("place")
    with pytest.raises(Refused, match=r"breakpoint 2: place is changed .* 'place' is not a tensor"):
        toy.let("place", "3")
    assert toy.named["place"] == "y[0]"


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("X", "a tensor"),
        ("loaded", "a semaphore"),
        ("max", "a function"),
        ("cycles", "a function"),
        ("sizeof", "a function"),
        ("alpha", "an engine"),
        ("bank", "a memory"),
        ("f32", "a dtype"),
        ("N", "a constant"),
        ("k", "the variable of a loop"),
    ],
)
def test_a_name_that_means_something_is_refused(name: str, what: str) -> None:
    text = COUNTDOWN + ".const N = 4\n.for k in 0..2\n@beta Add y, x, x\n.end\n"
    with pytest.raises(Refused, match=f"'{name}' is {what}"):
        session(text).let(name, "1")


@pytest.mark.parametrize("name", ["2x", "a-b", "", "nan", "and", "x y"])
def test_what_is_no_name_is_refused(toy: Session, name: str) -> None:
    with pytest.raises(Refused):
        toy.let(name, "1")
    assert toy.named == {}


def test_no_name_is_for_itself(toy: Session) -> None:
    with pytest.raises(Failure, match="nothing is called 'p'"):
        toy.let("p", "p + 1")
    toy.let("p", "1")
    toy.let("q", "p + 1")
    with pytest.raises(Refused, match="'p' would be defined by itself: p = q and q = p"):
        toy.let("p", "q")
    with pytest.raises(Refused, match="'p' would be defined by itself"):
        toy.let("p", "p + 1")
    assert toy.named == {"p": "1", "q": "p + 1"}


def test_names_that_double_are_refused_before_they_are_long(toy: Session) -> None:
    toy.let("a0", "1")
    for n in range(10):
        toy.let(f"a{n + 1}", f"a{n} + a{n}")  # of 7, 17, 37, ... characters, 5,120 + 5,117
    with pytest.raises(Refused, match=rf"'a11' expands to .* of at most {LONGEST:,}"):
        toy.let("a11", "a10 + a10")


def test_a_name_is_forgotten_when_nothing_is_made_of_it(toy: Session) -> None:
    toy.let("p", "X + 1")
    toy.let("q", "p + 1")
    with pytest.raises(Refused, match=r"'p' is used by q = p \+ 1"):
        toy.unlet("p")
    assert toy.unlet("q").text == "p + 1"
    assert toy.unlet("p").name == "p"
    assert toy.lets() == ()
    with pytest.raises(Refused, match="no expression is called 'p'"):
        toy.unlet("p")
    with pytest.raises(Failure, match="nothing is called 'p'"):
        toy.evaluate("p")


def test_a_name_has_no_moment_of_its_own(toy: Session) -> None:
    with pytest.raises(Refused) as refused:
        toy.let("old", "y at start")
    assert refused.value.hint == "let old = y, then: print old at start"


def test_the_program_takes_no_name_of_an_expression(toy: Session) -> None:
    toy.let("sum2", "X + X")
    with pytest.raises(Failure, match=r"tensor 'sum2': sum2 is already a name for X \+ X"):
        toy.declare(".bank sum2 f32[4, 2]")
    assert "sum2" not in toy.program.tensors
    toy.unlet("sum2")
    toy.declare(".bank sum2 f32[4, 2]")
    assert "sum2" in toy.program.tensors


def test_names_outlive_the_start_and_what_is_undone(toy: Session) -> None:
    toy.let("err", "y - X")
    toy.run(hashes=False)
    toy.set("y", 0)
    toy.let("late", "err + 1")
    toy.undo()
    toy.goto("start")
    toy.restart()
    assert [str(one) for one in toy.lets()] == ["err = y - X", "late = err + 1"]


def test_another_session_takes_the_names_that_it_can_have(toy: Session) -> None:
    toy.let("early", "1")
    toy.let("err", "y - X")
    toy.let("early", "max(err)")  # before what it is made of
    toy.let("z", "1")
    toy.let("gone", "$done + z")
    toy.break_at("again", condition="early > 3")
    toy.break_at("again", condition="gone > 3")
    other = session(COUNTDOWN.replace("done", "ready").replace("again", "loop"))
    other.declare(".bank z f32[4, 2]")
    lost = other.take_over(toy)
    assert [(str(one).split(":")[0], why) for one, why in lost] == [
        ("z = 1", "'z' is a tensor of the program"),
        ("gone = $done + z", "no semaphore '$done'"),
        ("1", "no location 'again' in the program"),
        ("2", "no location 'again' in the program"),
    ]
    assert list(other.named) == ["early", "err"]
