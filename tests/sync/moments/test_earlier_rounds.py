"""Moments of rounds before the first one of a ``.for``: nothing, as in a ``.loop``."""

from __future__ import annotations

import pytest

import nasm
from nasm.language.printing.text import text

HEAD = """.target trn2
.const N = 6, LAG = 2
.sbuf t f32[128, 64]
.sbuf u f32[128, 64]
"""


def printed(body: str) -> str:
    return text(nasm.assemble(HEAD + body), comments=False)


def codes(body: str) -> list[tuple[str, str]]:
    with pytest.raises(nasm.Failure) as failure:
        nasm.assemble(HEAD + body)
    return [(p.code, p.span.text if p.span is not None else "") for p in failure.value.problems]


def loop(after: str, head: str = "for r in 0..N", post: str = "made[r]", more: str = "") -> str:
    return f""".{head}
{more}
@vector  Memset      t[:, r], r        after {after}  post {post}
@gpsimd  TensorCopy  u[:, r], t[:, r]  after {post}   post seen[r]
.end
"""


@pytest.mark.parametrize(
    ("plain", "guarded"),
    [
        (loop("seen[r - 2]"), loop("seen[r - 2] if r >= 2")),
        (loop("seen[r - LAG]"), loop("seen[r - LAG] if r >= 2")),
        (loop("seen[r - 2]", "for r in 2..N"), loop("seen[r - 2] if r >= 4", "for r in 2..N")),
        (
            loop("seen[r + 2]", "for r in 5..-1 step -1"),
            loop("seen[r + 2] if r <= 3", "for r in 5..-1 step -1"),
        ),
        (
            loop("seen[r - 1]", "for r in [1, 2, 3]"),
            loop("seen[r - 1] if r >= 2", "for r in [1, 2, 3]"),
        ),
        (loop("seen[p - 2]", more=".const p = r"), loop("seen[r - 2] if r >= 2")),
    ],
)
def test_a_round_before_the_first_is_nothing_as_with_a_condition(plain: str, guarded: str) -> None:
    assert printed(plain) == printed(guarded)


NEST = """
.for m in 0..3
.for k in 0..2
@vector  Memset      t[:, m*2 + k], 1                {}
@gpsimd  TensorCopy  u[:, m*2 + k], t[:, m*2 + k]    after made[m, k]  post seen[m, k]
.end
.end
"""


@pytest.mark.parametrize(
    ("plain", "guarded"),
    [
        ("seen[m, k - 1]", "seen[m, k - 1] if k >= 1"),
        ("seen[m - 1, k]", "seen[m - 1, k] if m >= 1"),
        ("seen[m - 1, k - 1]", "seen[m - 1, k - 1] if m >= 1 and k >= 1"),
    ],
)
def test_each_loop_of_a_nest_has_a_first_round(plain: str, guarded: str) -> None:
    made = [printed(NEST.format(f"after {after}  post made[m, k]")) for after in (plain, guarded)]
    assert made[0] == made[1]


def test_a_sum_of_variables_may_be_the_number_of_a_round() -> None:
    body = """
.for k in 0..N step 2
.for i in 0..2
@vector  Memset      t[:, k + i], 1              {}  post made[k + i]
@gpsimd  TensorCopy  u[:, k + i], t[:, k + i]    after made[k + i]  post seen[k + i]
.end
.end
"""
    plain = body.format("after seen[k + i - 2]")
    assert printed(plain) == printed(body.format("after seen[k + i - 2] if k + i >= 2"))


def test_a_macro_is_passed_the_moment_of_a_round_before_the_first() -> None:
    body = """
.macro fill(at, ready=[], done=[])
@vector  Memset  t[:, at], 1  after ready  post done
.end
.for r in 0..N
fill(r, seen[r - 2]{}, made[r])
@gpsimd  TensorCopy  u[:, r], t[:, r]  after made[r]  post seen[r]
.end
"""
    assert printed(body.format("")) == printed(body.format(" if r >= 2 else []"))


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (loop("seen[r + 2]"), "seen[r + 2]"),  # a later round
        (loop("sean[r - 2]"), "sean[r - 2]"),  # posted by nothing
        (loop("seen[0 - 2]"), "seen[0 - 2]"),  # no variable
        (loop("seen[r % 2 - 2]"), "seen[r % 2 - 2]"),  # goes up and down
        (loop("seen[N - r - 9]"), "seen[N - r - 9]"),  # goes down: earlier rounds have more
        (loop("seen[r - 2, 0]"), "seen[r - 2, 0]"),  # another count of indices
        (loop("seen[r - 1]", "for r in [1, 0, 2]"), "seen[r - 1]"),  # no first round
    ],
)
def test_anything_else_that_nothing_posts_is_an_error(body: str, where: str) -> None:
    assert ("E0331", where) in codes(body)


def test_a_gap_between_rounds_is_an_error() -> None:
    body = """
.for r in 0..N
.if r != 2
@vector  Memset  t[:, r], r  post made[r]
.end
.end
.for r in 1..N
@gpsimd  TensorCopy  u[:, r], t[:, r]  after made[r - 1]
.end
"""
    assert codes(body) == [("E0331", "made[r - 1]")]


def test_rounds_of_an_earlier_loop_are_waited_for() -> None:
    """The second loop begins at 2, and what it comes after at first was posted by the first."""
    body = """
.for r in 0..2
@gpsimd  Memset  u[:, r], r  post seen[r]
.end
.for r in 2..N
@vector  Memset      t[:, r], r        after seen[r - 2]  post made[r]
@gpsimd  TensorCopy  u[:, r], t[:, r]  after made[r]      post seen[r]
.end
"""
    assert "$gpsimd >= 1" in printed(body)
    assert printed(body) == printed(
        body.replace("after seen[r - 2]", "after seen[r - 2] if r >= 2")
    )
