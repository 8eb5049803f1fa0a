"""What is proposed where a line of a text with moments lacks an `after` can be typed, and mends it.

``python -m tests.order.removed`` tries every `after` of the programs, and counts.
"""

from __future__ import annotations

import pytest

from nasm.base.source import Source
from nasm.base.source_files import source_of
from tests.order.removed import PROGRAMS, found, races, tries, typed

SAMPLE = ("layernorm", "double_row", "matmul_k", "pair_softmax")
ASKED = 0.95


@pytest.mark.parametrize("name", SAMPLE)
def test_the_line_that_is_proposed_mends_a_program(name: str) -> None:
    path = next(path for path in PROGRAMS if path.stem == name)
    before = found(source_of(path))
    tried = list(tries(path, every=3))
    assert tried
    for one in tried:
        assert one.mended(before), (one.removal.moment, [p.message for p in one.left])


@pytest.mark.thorough
def test_of_all_removals_what_is_proposed_mends_nearly_all() -> None:
    count = mended = 0
    for path in PROGRAMS:
        before = found(source_of(path))
        for one in tries(path):
            count, mended = count + 1, mended + one.mended(before)
    assert count > 80
    assert mended >= ASKED * count


def test_the_moment_of_a_core_says_that_both_have_met() -> None:
    path = next(path for path in PROGRAMS if path.stem == "ring")
    source = source_of(path)
    problems = races(found(Source(source.name, source.text.replace("after exchanged[c]", ""))))
    (problem,) = problems
    assert problem.hint == "let line 33 say 'after exchanged[c]'"


ROUNDS = """\
.target trn2
.hbm A f32[6, 128, 16] input = iota
.hbm O f32[6, 128, 16] output
.for r in 0..2
.sbuf in{r} f32[128, 16]
.sbuf out{r} f32[128, 16]
.end
.for r in 0..6
.const i = r % 2
@sync DmaCopy in{i}, A[r]  after u[r - 2]  post load[r]
@vector TensorCopy out{i}, in{i}  after load[r], store[r - 2]  post u[r] @read  post m[r]
@gpsimd DmaCopy O[r], out{i}  after m[r]  post store[r]
.end
@gpsimd .drain
"""


def proposed(text: str) -> tuple[str, Source]:
    """The hint for the only race of a text, and the text with what is proposed."""
    source = Source("made.nasm", text)
    problems = races(found(source))
    (problem,) = problems
    return problem.hint.partition("\n")[0], typed(source, problems)


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("after u[r - 2]", "let line 10 say 'after u[r - 2]'"),
        ("load[r], ", "let line 11 say 'after load[r]'"),
        (", store[r - 2]", "let line 11 say 'after store[r - 2]'"),
        ("after m[r]", "let line 12 say 'after m[r]'"),
    ],
)
def test_a_clause_says_of_which_round_it_is_and_for_which_it_holds(gone: str, said: str) -> None:
    assert not found(Source("made.nasm", ROUNDS))
    hint, text = proposed(ROUNDS.replace(gone, "", 1))
    assert hint == said
    assert not found(text)


def test_where_there_is_no_post_its_place_is_said_too() -> None:
    hint, text = proposed(ROUNDS.replace("after m[r]", "").replace("post m[r]", ""))
    assert hint == "let line 11 say 'post out_ready[r]', and let line 12 say 'after out_ready[r]'"
    assert not found(text)


def test_a_text_without_moments_gets_waits() -> None:
    text = """\
.target trn2
.hbm A f32[128, 16] input = iota
.hbm O f32[128, 16] output
.sbuf a f32[128, 16]
.sbuf b f32[128, 16]
.sem loaded, made
@sync DmaCopy a, A $loaded += 16
@scalar Activation b, a, op=relu $made++
@sync DmaCopy O, b $made >= 1
@sync .drain
"""
    hints = [problem.hint for problem in races(found(Source("made.nasm", text)))]
    assert hints
    assert "let line 8 wait for $loaded >= 16" in hints[0]
