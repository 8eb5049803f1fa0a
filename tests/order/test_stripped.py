"""What is proposed for a text that synchronises nothing can be typed, and mends it.

``python -m tests.order.stripped`` tries the programs and random ones, and counts.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nasm.base.source import Source
from nasm.base.source_files import source_of
from tests.order.removed import found, races, typed
from tests.order.stripped import as_in_sequence, drawn, followed, programs, stripped

FOLDER = Path(__file__).parents[2]
LOOPS = (FOLDER / "docs" / "loops.md").read_text(encoding="utf-8")
BY_HAND = re.search(r"<!-- file: loop.nasm -->\n```neuron-nasm\n(.*?)```", LOOPS, re.DOTALL)


@pytest.mark.parametrize("name", ["softmax", "dma_trigger", "countdown"])
def test_a_program_of_which_everything_was_taken_is_fixed(name: str) -> None:
    ended = followed(stripped(source_of(FOLDER / "programs" / f"{name}.nasm")))
    assert not ended.raced
    assert ended.rounds >= 1


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_get_the_order_of_their_lines(seed: int) -> None:
    source = drawn(seed)
    ended = followed(source)
    assert not ended.raced
    assert as_in_sequence(source, ended.text)


@pytest.mark.thorough
def test_of_all_texts_most_are_fixed() -> None:
    random = [followed(drawn(seed)) for seed in range(100)]
    assert not any(one.raced for one in random)
    ends = [followed(source) for source in programs()]
    assert len(ends) > 14  # what is left waits across cores or in loops at run time
    assert sum(not one.raced for one in ends) >= 0.7 * len(ends)


PIPELINE = """\
.target trn2
.hbm A f32[4, 128, 16] input = iota
.hbm Y f32[4, 128, 16] output
.for r in 0..2
.sbuf x{r} f32[128, 16]
.sbuf y{r} f32[128, 16]
.end
@sync
.for r in 0..4
DmaCopy x{r % 2}, A[r]
.end
@vector
.for r in 0..4
TensorCopy y{r % 2}, x{r % 2}
.end
@gpsimd
.for r in 0..4
DmaCopy Y[r], y{r % 2}
.end
"""


def test_where_a_text_is_written_engine_by_engine_round_goes_with_round() -> None:
    ended = followed(Source("made.nasm", PIPELINE))
    assert not ended.raced
    clauses = re.findall(r"after .*?(?=  post|$)", ended.text.text, re.MULTILINE)
    assert "after x_loaded[r]" in " ".join(clauses)
    assert "after y_ready[r - 2]" in " ".join(clauses)


SEQUENTIAL = """\
.target trn2
.hbm A f32[128, 16] input = iota
.hbm Y f32[128, 16] output
.sbuf a f32[128, 16]
.sbuf b f32[128, 16]
@sync DmaCopy a, A
@scalar Activation b, a, op=relu
@sync DmaCopy Y, b
"""


def test_a_text_in_sequence_is_reported_once_of_the_command_that_finds_all() -> None:
    hints = [problem.hint for problem in races(found(Source("made.nasm", SEQUENTIAL)))]
    assert hints[0].splitlines() == [
        "let line 6 say 'post a_loaded', and let line 7 say 'after a_loaded'",
        "or let 'neuron-nasm sync' find all of them: each line then comes after those above it",
    ]
    assert hints[1:] == ["let line 7 say 'post b_ready', and let line 8 say 'after b_ready'"]


def test_no_hint_names_a_counter_that_the_text_cannot() -> None:
    text = Source("made.nasm", SEQUENTIAL + "@sync .drain\n")
    problems = races(found(text))
    assert problems
    assert not any("$" in problem.hint for problem in problems)
    assert not followed(text).problems


def test_two_lines_are_not_given_one_name() -> None:
    text = SEQUENTIAL.replace("@sync DmaCopy Y", "@gpsimd TensorCopy b, a\n@sync DmaCopy Y")
    problems = races(found(Source("made.nasm", text)))
    posts = re.findall(r"post (\w+)", " ".join(problem.hint for problem in problems))
    assert {"b_ready", "b_ready_2"} <= set(posts)
    assert not followed(Source("made.nasm", text)).raced


def test_where_each_round_has_to_take_a_credit_the_hint_says_so() -> None:
    assert BY_HAND is not None
    text = Source("made.nasm", BY_HAND[1].replace("take $x_free", "", 1))
    (problem,) = races(found(text))
    assert problem.hint.startswith("put '@sync EventSemaphore take $x_free' before line 14\n")
    assert problem.facts["wait"]["takes"]
    assert not found(typed(text, [problem]))


def test_a_wait_comes_before_the_update_of_its_line() -> None:
    text = Source(
        "made.nasm",
        SEQUENTIAL.replace("a, A", "a, A  $in += 16")
        .replace("op=relu", "op=relu  $made++")
        .replace("Y, b", "Y, b  $made >= 1")
        .replace("@sync", ".sem in, made\n@sync", 1)
        + "@sync .drain\n",
    )
    (problem,) = races(found(text))
    assert problem.hint == "let line 8 wait for $in >= 16"
    mended = typed(text, [problem])
    assert "op=relu  $in >= 16  $made++" in mended.text
    assert not found(mended)


BRANCHING = """\
.target trn2
.hbm A f32[128, 16] input = iota
.hbm Y f32[128, 16] output
.sbuf a f32[128, 16]
@sync DmaCopy a, A
@scalar
RegisterMove %r0, 5
again: Activation a, a, op=copy
RegisterAlu %r0, %r0, 1, op=subtract
CompareBranch %r0, 0, op=greater, target=again
@sync DmaCopy Y, a
@sync .drain
"""


def test_where_a_branch_closes_a_loop_the_hint_declares_a_semaphore() -> None:
    text = Source("made.nasm", BRANCHING)
    first, second = races(found(text))
    said = "declare '.sem a_loaded', let line 5 say '$a_loaded += 16', and let line 8 say"
    assert first.hint.splitlines()[0] == f"{said} '$a_loaded >= 16'"
    assert not second.facts["edits"]  # a line gets one at a time
    ended = followed(text)
    assert not ended.problems
    assert "op=copy  $a_loaded >= 16  $a_ready++" in ended.text.text
    assert "DmaCopy Y, a  $a_ready >= 5" in ended.text.text
