"""Parts of what cores hold, set by hand: the toy's rack.

A cycle of alpha is 3 ticks, one of beta 5. Lock, Push, Heat and Touch act when they start.
"""

from __future__ import annotations

import pytest

from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.machine.records import Status
from tests.toy.target import TARGETS

RACKED = """
@alpha Push 7
@alpha Push 9
@beta  Heat 100
@beta  Touch
@beta  Take %r1
"""


def session(text: str = RACKED, values: bool = True) -> Session:
    source = Source("toy.nasm", f".target toy\n{text}\n")
    return Session.load(source, targets=TARGETS, values=values)


def numbers(of: Session, text: str) -> list[object]:
    """Elements of an expression; None for those that are not known."""
    value = of.evaluate(text)
    known = value.known((slice(None),) * len(value.shape)).reshape(-1)
    return [e if k else None for e, k in zip(value.array.reshape(-1).tolist(), known, strict=True)]


def test_elements_of_a_part_get_values_and_the_others_keep_theirs() -> None:
    one = session()
    one.step("alpha", 2)
    altered = one.set("belt[1]", 5)
    assert str(altered) == "belt[1]: 1 element changed"
    (change,) = altered.elements
    assert (change.before, change.after) == (9, 5)
    assert numbers(one, "belt") == [7, 5]
    one.set("belt", "belt * 2")
    assert numbers(one, "belt") == [14, 10]
    one.run()
    assert numbers(one, "@beta.%r1") == [14]


def test_what_was_known_of_nothing_is_known_once_it_is_set() -> None:
    one = session("@alpha Wait")
    assert numbers(one, "lock") == [None] * 4
    one.set("lock[1:3]", 1)
    assert numbers(one, "lock") == [None, 1, 1, None]
    one.set("lock2", "free")
    assert numbers(one, "lock") == [None, 1, None, None]


def test_who_waits_for_what_is_set_asks_again_at_once() -> None:
    one = session("@alpha Lock 1\n@beta Wait\n@beta Lock 1")
    assert one.run().status is Status.DEADLOCK
    now = one.now
    one.set("lock1", "free")
    assert one.status is Status.RUNNING
    assert one.run().status is Status.FINISHED
    assert one.now >= now
    assert numbers(one, "lock1") == [1]


def test_a_tick_that_something_waits_for_can_be_set_to_an_earlier_one() -> None:
    assert session().run().ticks > 100
    one = session()
    one.step("beta", 1)
    assert one.now < 40
    one.set("plate", 40)
    assert 40 < one.run().ticks < 100


def test_going_back_undoes_it_and_going_on_does_it_again() -> None:
    one = session()
    one.step("alpha", 2)
    moment = one.moment
    one.set("belt[0]", 1)
    one.run()
    assert numbers(one, "@beta.%r1") == [1]
    one.goto("start")
    assert numbers(one, "belt") == [None, None]
    one.goto("end")
    assert numbers(one, "@beta.%r1") == [1]
    assert str(one.undo()) == "set belt[0] = 1"
    assert numbers(one, "belt") == [7, 9]
    assert one.moment == moment
    one.run()
    assert numbers(one, "@beta.%r1") == [7]


def test_a_watch_is_not_reported_of_it_and_goes_on_from_there() -> None:
    one = session()
    one.watch("belt[0]")
    one.run()
    assert [hit.met.text for hit in one.hits] == ["belt[0] changed with @alpha pc 0 (Push, line 3)"]
    one.set("belt[0]", 3)
    one.run()
    (hit,) = one.hits
    (change,) = hit.met.elements
    assert (change.before, hit.met.text.split(" with ")[1]) == (3, "@beta pc 2 (Take, line 7)")


def test_a_part_of_another_core_is_set_with_its_core() -> None:
    one = session("@alpha Push 1\n.core 1\n@alpha Push 2")
    one.run()
    one.set("@1.belt[0]", 8)
    assert numbers(one, "belt[0]") == [1]
    assert numbers(one, "@1.belt[0]") == [8]
    with pytest.raises(Failure, match="no core 2"):
        one.set("@2.belt[0]", 8)


def test_a_tensor_of_its_name_is_set_instead() -> None:
    one = session(".ram belt f32[1] input = [1]\n@alpha Push 5")
    one.run()
    one.set("belt", 2)
    assert numbers(one, "belt") == [2.0]
    assert numbers(one, "@0.belt[0]") == [5]


def test_bits_are_set_in_another_dtype() -> None:
    one = session()
    one.step("alpha", 2)
    one.set("belt[0].view(f32)", 1.0)
    assert numbers(one, "belt[0]") == [0x3F800000]
    with pytest.raises(Refused, match="these elements are no bfloat16"):
        one.set("belt[0].view(bf16)", 1.0)


def test_a_run_without_values_has_what_decides_it_set() -> None:
    one = session(values=False)
    one.step("alpha", 2)
    one.set("belt[0]", 4)
    assert numbers(one, "belt[0]") == [4]


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("belt[0]", 1.5, "belt\\[0\\] holds int32, found 1.5"),
        ("belt[0]", 1 << 40, "holds int32, found 1099511627776"),
        ("belt[1]", 1, "the belt has 1 entries"),
        ("lock", 7, "a lock is held by queue 0 or 1, or -1 for free, found 7"),
        ("lock1", "gamma", "nothing is called 'gamma'"),
        ("tape", 1, "tape can be looked at, and not be set"),
        ("belt[9]", 1, "belt"),
        ("belt + 1", 1, "'belt [+] 1' is nothing to be set"),
        ("belt.max()", 1, "no .max of this"),
    ],
)
def test_what_cannot_be_set_is_refused_and_changes_nothing(
    place: str, value: object, said: str
) -> None:
    one = session()
    one.step("alpha", 1)
    before = numbers(one, "belt"), numbers(one, "lock")
    with pytest.raises((Failure, Refused), match=said):
        one.set(place, value)
    assert (numbers(one, "belt"), numbers(one, "lock")) == before
    assert one.changes.made == ()
