"""Parts of what cores hold, as the toy's rack offers them: seen, computed with, watched, asked of.

A cycle of alpha is 3 ticks, one of beta 5. Lock, Push, Heat and Tape act when they start; Unlock
and Take at completion or start as tests/toy/rack.py says.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.isa.core_state import Part, Seen
from tests.toy.target import MODEL, TARGET, TARGETS

RACKED = """
.ram  X  i32[2]  input = iota
@alpha Lock 2
@alpha Push 7
@alpha Push 9
@alpha Unlock 2
@beta  Heat 100
@beta  Tape 1
@beta  Take %r1
@beta  Touch
"""


def session(text: str = RACKED, values: bool = True) -> Session:
    source = Source("toy.nasm", f".target toy\n{text}\n")
    return Session.load(source, targets=TARGETS, values=values)


def ran(text: str = RACKED, values: bool = True) -> Session:
    done = session(text, values)
    done.run()
    return done


def numbers(of: Session, text: str) -> list[object]:
    """Elements of an expression; None for those that are not known."""
    value = of.evaluate(text)
    known = value.known((slice(None),) * len(value.shape)).reshape(-1)
    return [e if k else None for e, k in zip(value.array.reshape(-1).tolist(), known, strict=True)]


# -- in expressions


def test_a_part_is_named_in_expressions_and_what_nothing_knows_of_it_stays_unknown() -> None:
    done = ran()
    assert numbers(done, "belt") == [7, 9]
    assert numbers(done, "lock") == [None] * 4
    assert numbers(done, "plate") == [100]
    assert numbers(done, "belt[1:] * 2 + X[1:]") == [19.0]
    assert numbers(done, "lock[0] + belt[0]") == [None]
    assert numbers(done, "max(belt) > 8") == [True]
    assert done.expressions.statistics("belt").mean == 8


def test_a_number_behind_the_name_of_a_numbered_part_is_an_item_of_it() -> None:
    one = session()
    one.step("alpha", 1)
    assert numbers(one, "lock2") == numbers(one, "lock[2]") == [0]
    with pytest.raises(Failure, match="nothing is called 'lock4'"):
        one.evaluate("lock4")
    with pytest.raises(Failure, match="nothing is called 'belt1'"):
        one.evaluate("belt1")


def test_a_part_of_another_core_is_named_with_its_core() -> None:
    done = ran("@alpha Push 1\n.core 1\n@alpha Push 2")
    assert numbers(done, "belt[0]") == numbers(done, "@0.belt[0]") == [1]
    assert numbers(done, "@1.belt[0]") == [2]
    assert numbers(done, "@1.belt[:1] - belt[:1] + @1.belt[0]") == [3]
    with pytest.raises(Failure, match="no core 2: the program uses cores 0 to 1"):
        done.evaluate("@2.belt")


def test_a_tensor_hides_a_part_of_its_name() -> None:
    done = ran(".ram belt f32[1] input = [1]\n@alpha Push 5")
    assert numbers(done, "belt") == [1.0]
    assert numbers(done, "@0.belt[0]") == [5]


def test_bits_of_a_part_are_looked_at_in_another_dtype_of_as_many_bytes() -> None:
    done = ran("@alpha Push 1065353216\n@alpha Push 3")
    assert numbers(done, "belt.view(f32)[0]") == [1.0]
    assert numbers(done, "belt.view(f32)[0] + 1") == [2.0]
    assert numbers(session(), "belt.view(f32)") == [None, None]
    for wrong in ("belt.view(bf16)", "belt.view(3)", "belt.view()", "(belt + 1).view(f32)"):
        with pytest.raises((Failure, Refused)) as refused:
            done.evaluate(wrong)
        assert "E0306" in {p.code for p in refused.value.problems}, wrong  # type: ignore[union-attr]


def test_a_part_that_is_a_mere_table_is_nothing_to_compute_with() -> None:
    table = Part("shelf", "a table", lambda rack: Seen(heads=("a",), rows=(("b",),)))
    model = replace(MODEL, parts=(table,))
    target = replace(TARGET, model=lambda _: model)
    source = Source("toy.nasm", ".target toy\n@alpha Wait\n")
    one = Session.load(source, targets={"toy": lambda: target})
    with pytest.raises(Failure, match="shelf is a table, and nothing to compute with"):
        one.evaluate("shelf")
    (shelf,) = one.engines.held("shelf")
    assert shelf.parts == ()
    assert shelf.rows == (("b",),)


# -- what is held


def test_parts_of_every_core_are_reported_of_and_those_at_rest_say_so() -> None:
    done = ran("@alpha Push 1\n.core 1\n@alpha Heat 30")
    found = {(one.core, one.name): one for one in done.engines.held()}
    assert {key for key, one in found.items() if not one.resting} == {(0, "belt"), (1, "plate")}
    assert len(found) == 8
    assert found[0, "belt"].summary == "1 of 2 entries"
    assert found[0, "belt"].engine == ""
    (other,) = done.engines.held("1.plate")
    assert (other.core, other.summary) == (1, "hot until 30")


def test_what_belongs_to_a_queue_is_reported_of_its_engine() -> None:
    done = ran("@beta Tape 2\n@beta Push 1\n@beta Take %r0\n@alpha Tape 1\n@alpha Push 3")
    (tape,) = done.engines.held("beta")
    assert tape.rows == (("beta", "0", "Push"), ("beta", "1", "Take"))
    (of_all,) = done.engines.held("tape")
    assert of_all.rows == (("alpha", "0", "Push"), *tape.rows)


def test_without_values_cores_still_hold_what_decides_the_run() -> None:
    done = ran(values=False)
    assert {one.name for one in done.engines.held() if not one.resting} >= {"belt", "plate"}
    assert numbers(done, "belt") == [7, 9]
    with pytest.raises(Failure, match="without values"):
        ran("@alpha Wait", values=False).engines.held()
    with pytest.raises(Failure, match="without values"):
        done.engines.held("alpha")


def test_an_unknown_name_is_refused_with_one_like_it() -> None:
    with pytest.raises(Refused, match="no engine or part 'plat'") as refused:
        session().engines.held("plat")
    assert refused.value.hint == "did you mean 'plate'?"


# -- time


def changes(of: Session) -> list[tuple[str, int, object, object]]:
    """What a watched run stops at: who, when, the first element before and after."""
    found = []
    while of.run() is not None and of.hits:
        for hit in of.hits:
            (change,) = hit.met.elements[:1]
            found.append((hit.met.text, of.now, change.before, change.after))
    return found


def test_a_change_of_a_part_is_stopped_at_and_says_by_whom() -> None:
    one = session()
    one.watch("lock2")
    assert changes(one) == [
        ("lock2 changed with @alpha pc 0 (Lock, line 4)", 0, None, 0),
        ("lock2 changed with @alpha pc 3 (Unlock, line 7)", 15, 0, None),
    ]


def test_an_expression_of_parts_is_a_condition() -> None:
    one = session()
    one.break_at("if belt[0] + belt[1] == 16")
    one.run()
    assert one.now == 6  # the second Push starts at cycle 2
    one.break_at("alpha pc 3", condition="lock2 == 0")
    one.run()
    assert one.now == 9


def test_going_back_finds_the_last_change_and_what_was_before_it() -> None:
    done = ran()
    before = numbers(done, "lock2")
    (met,) = done.back_to_write("lock2")
    assert met.text == "lock2 changed with @alpha pc 3 (Unlock, line 7)"
    assert before == [None]
    assert numbers(done, "lock2") == [0]
    (met,) = done.back_to_write("lock2")
    assert met.text == "lock2 changed with @alpha pc 0 (Lock, line 4)"
    assert numbers(done, "lock2") == [None]
    assert done.back_to_write("lock2") == ()
    done.goto("end")
    assert numbers(done, "lock2 at start") == [None]
    assert numbers(done, "belt at start") == [None] * 2


def test_why_says_what_changed_a_part_last_and_leaves_the_run_where_it_is() -> None:
    done = ran()
    now = done.moment
    why = done.why("lock2")
    assert why.maker is not None
    assert (why.maker.name, why.maker.queue, why.maker.pc, why.maker.tick) == (
        "Unlock",
        "alpha",
        3,
        15,
    )
    assert why.summary == "__"
    why = done.why("belt[1]")
    assert why.maker is not None
    assert why.summary == "9"
    assert (why.maker.name, why.maker.pc, why.maker.tick) == ("Push", 2, 6)
    assert done.why("lock[0]").start == "as the core began"
    last = done.last_write("plate")
    assert last is not None
    assert last.maker.name == "Heat"
    assert done.moment == now


LATE = """
@alpha Throw 7, 10
@beta  Wait
@beta  Wait
@beta  Wait
@beta  Push 9
"""
"""What alpha throws at tick 0 has landed at 10; who looks at the belt next is Push, at 15."""


def test_what_was_left_for_later_is_of_the_instruction_that_left_it() -> None:
    one = session(LATE)
    one.watch("belt[0]")
    one.run()
    (hit,) = one.hits
    assert hit.met.text == "belt[0] changed with @alpha pc 0 (Throw, line 3)"
    assert (hit.met.tick, one.now) == (10, 15)
    one.run()
    assert not one.hits
    why = one.why("belt[0]")
    assert why.maker is not None
    assert (why.maker.name, why.maker.line, why.maker.tick) == ("Throw", 3, 10)
    last = one.last_write("belt[1]")
    assert last is not None
    assert (last.maker.name, last.maker.line, last.maker.tick) == ("Push", 7, 15)


def test_a_change_by_hand_made_a_part_what_it_is_until_the_next_one() -> None:
    one = session(
        "@alpha Push 7\n@alpha Wait\n@alpha Push 9\n" + "@beta Wait\n" * 4 + "@beta Heat 3"
    )
    one.step("alpha", 2)
    one.set("belt[0]", 5)
    one.set("plate", 30)
    now = one.moment
    why = one.why("belt[0]")
    assert str(why.maker) == "changed by hand: set belt[0] = 5"
    assert why.summary == "5"
    assert why.maker is not None
    assert why.maker.tick == one.now
    assert one.moment == now
    one.run()
    assert str(one.why("belt[0]").maker) == "changed by hand: set belt[0] = 5"
    for place, name in (("belt[1]", "Push"), ("plate", "Heat")):
        maker = one.why(place).maker
        assert maker is not None
        assert maker.name == name


def test_who_reads_a_part_is_not_known() -> None:
    with pytest.raises(Refused, match="who reads belt is not known"):
        session().watch("belt", "read")


def test_what_is_seen_does_not_change_later() -> None:
    one = session()
    one.step("alpha", 2)
    value = one.evaluate("belt")
    one.run()
    assert np.array_equal(value.array, [7, 0])
