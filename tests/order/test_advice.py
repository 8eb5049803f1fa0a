"""A hint is tried before it is given: with it the run ends, and what raced is in order."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

import nasm
from nasm.analysis.hazards import races as races_of_a_run
from nasm.base.problems import Problem
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.order.posts import Posts
from nasm.order.remedies import meant
from nasm.order.round_takes import taking
from nasm.order.skeleton import COMPLETES, CounterWait
from tests.order.removed import found, races
from tests.order.truth import Log, Truth

COUNTDOWN = Path(__file__).parents[2] / "programs" / "countdown.nasm"

SHARED = """\
.target trn2
.hbm A f32[6, 128, 16] input = iota
.hbm B f32[6, 128, 16] input = iota
.hbm Y f32[6, 128, 16] output
.for r in 0..6
.sbuf a{r} f32[128, 16]
.sbuf b{r} f32[128, 16]
.sbuf c{r} f32[128, 16]
.end
.sem loaded, made
.for r in 0..6
@sync   DmaCopy a{r % 2}, A[r]  $made >= r - 1  $loaded += 16
@scalar DmaCopy b{r % 2}, B[r]  $made >= r - 1  $loaded += 16
@vector TensorTensor c{r}, a{r % 2}, b{r % 2}, op=add  $made++
@gpsimd DmaCopy Y[r], c{r}  $made >= r + 1
.end
@gpsimd .drain
"""


class Found(NamedTuple):
    """What taking looks at of a remedy."""

    place: tuple[int, int]
    wait: CounterWait | None
    takes: bool = False


def raced(text: str) -> list[Problem]:
    return races(found(Source("made.nasm", text)))


def test_what_a_transfer_posts_once_is_not_to_be_taken_in_each_round() -> None:
    text = COUNTDOWN.read_text().replace("$loaded >= 16", "")
    (problem,) = raced(text)
    assert problem.hint == "let line 12 wait for $loaded >= 16"
    typed = text.replace("scale=2.0", "scale=2.0  $loaded >= 16")
    assert not found(Source("made.nasm", typed))


def test_a_count_is_not_to_grow_beyond_what_is_posted_in_the_last_round() -> None:
    (problem,) = raced(SHARED)  # 64, and 64 more in each further round, hangs
    assert "$loaded >=" not in problem.hint
    assert "post to a semaphore of its own" in problem.hint
    assert problem.facts["wait"] is None


@pytest.mark.parametrize("rounds", [3, 5])
def test_a_count_that_grows_from_round_to_round_is_right_in_every_round(rounds: int) -> None:
    text = f"""\
.target trn2
.hbm X f32[{rounds}, 128, 16] input = iota
.hbm Y f32[{rounds}, 128, 16] output
.sbuf t f32[128, 16]
.for r in 0..{rounds}
.sbuf u{{r}} f32[128, 16]
.end
.sem loaded, made, stored
.for r in 0..{rounds}
@sync DmaCopy t, X[r]  $made >= r  $loaded += 16
@vector TensorCopy u{{r}}, t  $made++
@gpsimd DmaCopy Y[r], u{{r}}  $made >= r + 1  $stored += 16
.end
@gpsimd EventSemaphore $stored >= {16 * rounds}
"""
    (problem,) = raced(text)
    said = re.search(r"\$loaded >= (\d+) \(and (\d+) more in each further round\)", problem.hint)
    assert said is not None
    first, step = map(int, said.groups())
    assert (problem.facts["wait"]["value"], problem.facts["wait"]["step"]) == (first, step)
    typed = text.replace("$made++", f"$loaded >= {first} + {step} * r  $made++")
    assert not found(Source("made.nasm", typed))


UNEVEN = """\
.target trn2
.for r in 0..4
.sbuf t{r} f32[128, 16]
.sbuf u{r} f32[128, 16]
.end
.sem made
.for r in 0..3
@gpsimd Memset t{r}, r  $made += min(3, 1 + 2 * r)
.end
@gpsimd Nop  $made += 3
.for r in 0..4
@vector TensorCopy u{r}, t{min(r, 2)}
.end
"""


def test_of_counts_that_are_enough_the_closest_is_proposed() -> None:
    """The rounds need 1, 4 and 7: 2 and 2 more in each is too much by less than 4 and 1 more."""
    (problem,) = raced(UNEVEN)
    wait = problem.facts["wait"]
    assert (wait["semaphore"], wait["value"], wait["step"]) == ("made", 2, 2)


TWO_CORES = """\
.target trn2
.hbm X f32[2, 128, 16] input = iota
.hbm Y f32[2, 128, 16] output
.for c in 0..2
.core c
.sbuf t{c} f32[128, 16]
.sbuf u{c} f32[128, 16]
.sem loaded{c}, made{c}
@sync DmaCopy t{c}, X[c]  $loaded{c} += 16
@vector TensorCopy u{c}, t{c}  $made{c}++
@sync DmaCopy Y[c], u{c}  $made{c} >= 1
@sync .drain
.end
"""


@pytest.mark.parametrize(("values", "least"), [([3, 1, 2], 1), ([2, 2], 2), ([1, 5], 1)])
def test_a_round_takes_the_least_that_is_posted_at_a_time(values: list[int], least: int) -> None:
    posts = Posts(0, COMPLETES, 0)
    for index, value in enumerate(values):
        posts.add(index, (0,), value)
    order = SimpleNamespace(streams=lambda counter: [posts] if counter == 5 else [])
    check: Any = SimpleNamespace(order=order, watch=SimpleNamespace(pcs=[[3, 4, 3, 4]]))
    found: Any = Found((0, 2), CounterWait(5, ">=", 4))
    assert [(one.wait.value, one.takes) for one in taking(check, found)] == [
        (least, True),
        (4, True),
    ]
    assert taking(check, found._replace(wait=None)) == []


def test_what_two_cores_lack_alike_is_said_once() -> None:
    (problem,) = raced(TWO_CORES)
    assert problem.message.startswith("nothing orders 0.vector pc 0")
    notes = [note.message for note in problem.notes]
    assert any(note.startswith("the same of 1.vector pc 0") for note in notes)


def test_a_fact_names_the_tensor_whatever_the_view() -> None:
    text = """\
.target trn2
.hbm X f32[16, 8, 4] input = iota
.sbuf t f32[16, 8, 4]
.sbuf u f32[16, 4, 8]
.sem loaded
@sync DmaCopy t, X  $loaded += 16
@vector TensorCopy u, t.permute(0, 2, 1)
@vector EventSemaphore $loaded >= 16
"""
    source = Source("made.nasm", text)
    problems = found(source)
    (problem,) = races(problems)
    assert {one["tensor"] for one in problem.facts["accesses"]} == {"t"}
    assert not [p for p in problems if p.code == "E0501"]


WITHOUT_A_WAIT = """\
.target trn3
.sem t
.hbm n i32[1] input = [5]
@gpsimd RegisterMove %r1, 8
@vector RegisterMove %r1, 7
@vector TensorStore n, %r1
@tensor RegisterMove %r1, 7
@tensor TensorStore n, %r1 $t += 1
.core 1
.sem u
.hbm m i32[1] input = [5]
@gpsimd RegisterMove %r1, 8
@vector RegisterMove %r1, 7
@vector TensorStore m, %r1
@tensor RegisterMove %r1, 7
@tensor TensorStore m, %r1 $u += 1
"""


def test_each_run_of_a_program_has_the_same_hints() -> None:
    # What is worked out for one trial must not be taken for another that is at its address.
    program = nasm.assemble(WITHOUT_A_WAIT, options={"ordering": "relaxed"})
    first, *others = (nasm.run(program, values=False).report.hazards for _ in range(24))
    assert len(first) == 6
    assert all(hazards == first for hazards in others)


def test_who_should_wait_is_asked_of_one_pair_of_a_line_that_has_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """\
.target trn2
.sbuf x f32[128, 64]
.sbuf y f32[128, 64]
.sbuf z f32[128, 64]
.sem  made
.for r in 0..40
@vector TensorCopy y, x  $made++
@scalar Activation z, y, op=exp  $made >= r + 1
.end
"""
    asked = []

    def counted(*given: object) -> object:
        asked.append(given)
        return meant(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(races_of_a_run, "meant", counted)
    (problem,) = raced(text)
    assert problem.facts["pairs"] > 20
    assert len(asked) < 8


SHORT = """
.target trn1
.sbuf s0 f32[128, 32]
.sbuf s1 f32[64, 32]
.sbuf s2 f32[64, 32]
.hbm X f32[128, 32] input = iota
.hbm Z f32[128, 4] input = iota
.sem begun, moved, used, scaled, doubled, copied
@gpsimd DmaCopy s0, X $begun += 16
@scalar DmaCopy s0[:, 17:30:4], Z $begun >= 16 $moved += 16
@gpsimd EventSemaphore $moved >= 16
@gpsimd TensorTensor s0[96:128, 3:19], s2[0:32, 0:31:2], s0[64:96, 1:32:2], op=add $used++
@scalar RegisterMove %r0, 4
again: @scalar Activation s0, s0, op=sigmoid
@scalar RegisterAlu %r0, %r0, 1, op=subtract
@scalar CompareBranch %r0, 0, op=greater, target=again $scaled++
@vector RegisterMove %r0, 3 $used >= 1
more: @vector TensorScalar s2, s2, op0=multiply, operand0=0.5 $doubled += 2
@vector RegisterAlu %r0, %r0, 1, op=subtract
@vector CompareBranch %r0, 0, op=greater, target=more
@gpsimd EventSemaphore $scaled >= 4
@gpsimd DmaCopy s0[0:64], s2 $copied += 16
@scalar Activation s1[0:32, 0:1], s1[32:64, 10:11], op=abs $scaled++
@gpsimd TensorCopy s1[:, 17:20:2], s1[:, 12:14] $used++
@vector TensorCopy s0[0:64, 11:19], s0[64:128, 20:28] $copied >= 16
@vector EventSemaphore $used >= 2
@vector TensorReduce s1[:, 11:12], s1, op=maximum, axis=1 $doubled++
@gpsimd EventSemaphore $doubled >= 7
"""


def test_a_fix_that_another_line_would_be_short_of_is_none() -> None:
    session = Session(nasm.assemble(SHORT), values=False)
    log = Log(session)
    reported = [p for p in session.run().hazards if p.code == "E0502"]
    assert reported
    lines = {frozenset(a["line"] for a in p.facts["accesses"]) for p in reported}
    assert lines <= Truth(log).lines
