"""Why an engine does not go on, followed back; who uses what; what became of a semaphore."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.engines.wait_chain import CIRCLE, NEVER, NOTHING, OPEN, TIME
from nasm.debugger.session import Session
from tests.parts import part
from tests.repl.conftest import COUNTDOWN
from tests.toy.target import TARGETS

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))


def toy(text: str) -> Session:
    return Session.load(Source("toy.nasm", text), targets=TARGETS)


# ------------------------------------------------------------------ why an engine waits


def test_it_is_followed_back_to_what_is_under_way() -> None:
    text = ".target toy\n.ram X f32[4, 2] input = iota\n.bank x f32[4, 2]\n.sem a, b\n"
    text += "@beta Move x, X $a += 2\n@beta Wait $a >= 2 $b++\n@alpha Wait $b >= 1\n"
    session = toy(text)
    session.advance(4)
    found = session.blocked("alpha")
    assert [str(link.at) for link in found.links] == ["alpha pc 0, line 7", "beta pc 1, line 6"]
    assert str(found) == (
        "alpha pc 0, line 7, waits for $b >= 1 (it is 0): beta pc 1, line 6 would post it.\n"
        "beta pc 1, line 6, waits for $a >= 2 (it is 0).\n"
        "What it waits for is in flight: the transfer of line 5: dispatch, lands at 0.031 µs."
    )
    assert found.end == TIME


def test_an_engine_that_computes_is_the_end_of_it() -> None:
    session = toy(COUNTDOWN.replace("$loaded >= 2", ""))
    session.advance(4)
    found = session.blocked("beta")
    assert found.end == TIME
    assert [link.at.engine for link in found.links] == ["beta", "alpha"]
    # Loop has just started, led back to Count, and has its unit for a cycle of 3 ticks
    assert found.links[1].sentence.endswith("the unit alpha, kept by line 12, 0.002 µs more.")


def test_engines_that_wait_for_each_other_are_reported_as_that() -> None:
    session = toy(".target toy\n.sem a, b\n@alpha Wait $a >= 1 $b++\n@beta Wait $b >= 1 $a++\n")
    session.run()
    found = session.blocked("alpha")
    assert (found.end, found.sentence) == (CIRCLE, "So alpha and beta wait for each other.")
    assert [link.at.engine for link in found.links] == ["alpha", "beta"]


def test_who_waits_behind_a_circle_is_not_in_it() -> None:
    text = ".target toy\n.core 0\n.sem a, b\n.core 1\n.sem c\n.core 0\n"
    text += "@alpha Wait $a >= 1 $b++\n@beta Wait $b >= 1 $a++\n@beta Wait $c++\n"
    text += ".core 1\n@alpha Wait $c >= 1\n"
    session = toy(text)
    session.run()
    found = session.blocked("1.alpha")
    assert [link.at.engine for link in found.links] == ["1.alpha", "0.beta", "0.alpha"]
    assert found.sentence == "So 0.beta and 0.alpha wait for each other."


def test_an_update_behind_its_own_wait() -> None:
    session = toy(".target toy\n.sem a\n@alpha Wait $a >= 1\n@alpha Wait $a++\n")
    session.run()
    found = session.blocked("alpha")
    assert found.end == NEVER
    assert found.sentence == (
        "That will never be: the next update would come from alpha pc 1, after this wait."
    )


def test_a_wait_that_nothing_can_end_is_reported_with_what_became_of_it() -> None:
    text = ".target toy\n.sem go, ready\n@beta Wait $go++\n@beta Wait $ready >= 1\n"
    session = toy(text + "@alpha Wait $go >= 2 $ready++\n")
    session.run()
    found = session.blocked("beta")
    assert [link.at.engine for link in found.links] == ["beta", "alpha"]
    assert (found.end, found.sentence) == (
        NEVER,
        "That will never be: every update of it has been made.",
    )
    assert found.hint


def test_it_is_known_before_the_deadlock_that_nothing_can_end_a_wait() -> None:
    text = ".target toy\n.sem go\n@beta Wait $go >= 1\n@alpha Set %r0, 9\n"
    session = toy(text + "@alpha\nagain: Count %r0\nLoop %r0, target=again\n")
    session.advance(5)
    assert not session.over
    assert (
        session.blocked("beta").sentence == "That will never be: nothing in the program updates it."
    )


def test_an_engine_without_anything_to_do() -> None:
    session = toy(COUNTDOWN)
    assert session.blocked("alpha").sentence == "Nothing holds alpha pc 0, line 10: it starts now."
    session.run()
    assert (session.blocked("alpha").end, session.blocked("beta").links) == (NOTHING, ())
    with pytest.raises(Refused, match="no engine"):
        session.blocked("gamma")


@pytest.mark.parametrize("path", part(PROGRAMS, 3), ids=lambda path: path.stem)
def test_programs_that_end_never_wait_for_nothing(path: Path) -> None:
    session = Session(path)
    for _ in range(40):
        if session.over:
            break
        for queue in session.queues():
            assert session.blocked(session.name(queue)).end in (TIME, OPEN, NOTHING)
        session.process(13)


# ------------------------------------------------------------------ who


def used(session: Session, text: str) -> list[tuple[str, int, str, int]]:
    return [(u.engine, u.pcs[0], u.does, len(u.pcs)) for u in session.who(text)]


def test_who_reads_and_writes_a_tensor() -> None:
    session = toy(COUNTDOWN)
    assert used(session, "x") == [("beta", 0, "writes", 1), ("beta", 2, "reads", 1)]
    assert used(session, "X") == [("beta", 0, "reads", 1)]
    assert used(session, "y[3]") == [("beta", 2, "writes", 1)]


def test_slices_are_looked_at_by_bytes_and_lines_are_folded() -> None:
    text = ".target toy\n.bank t f32[4, 8]\n@beta\n.for k in 0..4\n"
    text += "Add t[:, k : k+1], t[:, 7 : 8], t[:, 7 : 8]\n.end\n"
    session = toy(text)
    assert used(session, "t[0, 2:3]") == [("beta", 2, "writes", 1)]
    assert used(session, "t[0, 1:4]") == [("beta", 1, "writes", 3)]
    assert used(session, "t[0, 5]") == []
    assert used(session, "t[2, 7]") == [("beta", 0, "reads", 4)]


def test_tensors_that_share_bytes_count() -> None:
    text = ".target toy\n.bank t f32[4, 2] @ 0:0\n.bank u f32[4, 4] @ 0:0\n@beta Add u, u, u\n"
    assert used(toy(text), "t[0, 0]") == [("beta", 0, "reads", 1), ("beta", 0, "writes", 1)]


def test_an_address_in_a_register_may_be_meant() -> None:
    text = ".target toy\n.bank t f32[4, 8]\n@alpha Set %r0, 1\n"
    text += "@alpha Add t[:, %r0 : +1], t[:, 0:1], t[:, 0:1]\n"
    found = toy(text).who("t[0, 5]")
    assert [(u.pcs, u.does, u.perhaps) for u in found] == [((1,), "writes", True)]


def test_who_posts_and_waits_for_a_semaphore() -> None:
    session = toy(COUNTDOWN)
    session.run()
    found = session.who("$loaded")
    assert [(u.engine, u.pcs, u.does, u.amount, u.completed) for u in found] == [
        ("beta", (0,), "posts", "+= 2", 1),
        ("beta", (1,), "waits", ">= 2", 1),
    ]
    with pytest.raises(Refused, match="no semaphore"):
        session.who("$lodaed")


def test_who_reads_and_sets_a_register() -> None:
    session = toy(COUNTDOWN)
    session.run()
    found = session.who("@alpha %r0")
    assert [(u.pcs, u.does, u.loops, u.completed) for u in found] == [
        ((0,), "writes", False, 1),
        ((1,), "reads", True, 2),
        ((1,), "writes", True, 2),
        ((2,), "reads", True, 2),
    ]
    assert session.who("beta.%r0") == ()


def test_what_is_no_tensor_is_refused() -> None:
    with pytest.raises(Failure):
        toy(COUNTDOWN).who("3 + 4")


# ------------------------------------------------------------------ semaphores


def test_a_semaphore_knows_who_waits_and_who_can_still_post() -> None:
    session = toy(COUNTDOWN)
    session.advance(4)
    (found,) = session.counters("$loaded")
    assert (found.value, found.seen, found.moving) == (0, 0, 2)
    assert [(str(w.at), w.op, w.value) for w in found.waiting] == [("beta pc 1, line 8", ">=", 2)]
    assert [(str(p.at), p.change, p.made, p.ahead) for p in found.posters] == [
        ("beta pc 0, line 7", "+= 2", 1, 0)
    ]
    (done,) = session.counters("done")
    assert [(p.change, p.made, p.ahead, p.maybe) for p in done.posters] == [("+= 1", 0, 1, False)]


def test_posts_in_a_loop_are_counted_with_the_registers_as_they_are() -> None:
    text = ".target toy\n.sem s\n@alpha\nSet %r0, 5\n"
    session = toy(text + "again: Count %r0\nWait $s++\nLoop %r0, target=again\n")
    seen = []
    while not session.over:
        (poster,) = session.counters("s")[0].posters
        seen.append((poster.made, poster.ahead, poster.maybe))
        session.process(1)
    # Before the first instruction %r0 is what it will be set to.
    assert {made + ahead for made, ahead, _ in seen} == {5}
    assert not any(maybe for _, _, maybe in seen)
    assert [made for made, _, _ in seen] == sorted(made for made, _, _ in seen)


def test_the_history_of_a_semaphore_leaves_the_moment_as_it_is() -> None:
    session = toy(COUNTDOWN)
    session.run()
    before = session.report()
    # both halves of X land at tick 46, the loop's end posts to $done
    assert [(c.value, c.by.pc, c.transfer) for c in session.history("loaded")][-1] == (2, 0, True)
    assert [c.tick for c in session.history("loaded")][-1] == 46
    assert [(c.value, str(c.by)) for c in session.history("$done")] == [(1, "alpha pc 3, line 13")]
    assert session.report() == before


def test_only_the_last_changes_are_reported() -> None:
    text = ".target toy\n.sem s\n@alpha\n" + "Wait $s++\n" * 30
    session = toy(text)
    session.run()
    assert [c.value for c in session.history("s", 3)] == [28, 29, 30]
    assert len(session.history("s")) == 20
