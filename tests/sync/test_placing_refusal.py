"""What is said of a tensor for which there is no place."""

from __future__ import annotations

from nasm.base.source import Source, Span
from tests.sync.placed import BANKED, refused, tensor


def test_more_is_alive_than_there_is() -> None:
    a, b, c, t = tensor("a", 40), tensor("b", 20, rows=2), tensor("c", 20), tensor("t", 44)
    t.span = Span(Source("tiles.py", "t = ndarray\n"), 0, 1)
    (problem,) = refused([[(a,), (b,), (c, b), (t, a), (a, b)]])
    assert str(problem) == (
        "error[E0311]: t needs 44 bytes per partition here, and plain has no free run of that "
        "size: what is alive with it takes 60 of 100, 4 too many\n"
        " --> kernel.py:4:1\n"
        "  |\n"
        "4 | line\n"
        "  | ^^^^\n"
        "  note: t is declared here (tiles.py:1:1)\n"
        "  hint: work in smaller tiles, or be done with some before this; the largest "
        "alive are a (40 bytes) and b (20 bytes)\n"
        "  plain at instruction 3:\n"
        "            0 ..      40       40 bytes  a, partitions 0 to 127, instructions 0 to 4 "
        "(lines 1 to 5)\n"
        "           40 ..      60       20 bytes  b, partitions 0 to 1, instructions 1 to 4 "
        "(lines 2 to 5)\n"
        "           60 ..     100       40 bytes  (free)"
    )


def test_enough_is_free_but_not_side_by_side() -> None:
    f, g = tensor("f", 40, at=(0, 0)), tensor("g", 20, at=(0, 60))
    t = tensor("t", 28)
    (problem,) = refused([[(f, g), (t, f), (g,)]])
    assert problem.message == (
        "t needs 28 bytes per partition here, and plain has no free run of that size: what is "
        "alive with it takes 60 of 100, and leaves no more than 20 side by side"
    )
    assert problem.hint.splitlines()[2:] == [
        "          0 ..      40       40 bytes  f, partitions 0 to 127, instructions 0 to 1 "
        "(lines 1 to 2)",
        "         40 ..      60       20 bytes  (free)",
        "         60 ..      80       20 bytes  g, partitions 0 to 127, instructions 0 to 2 "
        "(lines 1 to 3)",
        "         80 ..     100       20 bytes  (free)",
    ]


def test_a_tensor_larger_than_its_memory_is_alone_too_much() -> None:
    (problem,) = refused([[(tensor("t", 120),)]])
    assert problem.message.endswith("what is alive with it takes 0 of 100, 20 too many")
    assert problem.hint.splitlines() == [
        "work in smaller tiles, or be done with some before this",
        "plain at instruction 0:",
        "          0 ..     100      100 bytes  (free)",
    ]


def test_said_is_where_most_is_alive_not_where_going_round_failed_first() -> None:
    first, long, big = tensor("first", 48), tensor("long", 8), tensor("big", 90)
    half, more = tensor("half", 48), tensor("more", 48)
    # big finds no place going round, though there is one; half and more with long are 104 bytes.
    (problem,) = refused([[(first,), (long,), (big, long), (half, more, long)]])
    assert problem.message.startswith("more needs 48 bytes")
    assert problem.message.endswith("takes 56 of 100, 4 too many")
    assert problem.span is not None
    assert problem.span.line == 4


def test_what_fills_a_memory_to_the_last_byte_is_not_too_much_yet() -> None:
    full, more = [tensor("a", 60), tensor("b", 40)], tensor("c", 20)
    (problem,) = refused([[tuple(full), (*full, more)]])
    assert problem.message.startswith("c needs 20 bytes")
    assert problem.message.endswith("takes 100 of 100, 20 too many")


def test_a_loop_is_said_to_be_one_lifetime() -> None:
    a, t = tensor("a", 60), tensor("t", 60)
    (problem,) = refused([[[(a,), (t,)]]])
    row = problem.hint.splitlines()[2]
    # 0 and 3 make the loop go; a is written in the line of its body.
    assert row.endswith("a, partitions 0 to 127, instructions 0 to 3 (line 2)")


def test_there_is_one_problem_for_each_memory_and_core() -> None:
    a, b, c = tensor("a", 60), tensor("b", 60), tensor("c", 60)
    large, other = tensor("large", 300, BANKED), tensor("other", 120, core=1)
    found = refused([[(a, b, c, large)], [(other,)]])
    assert [p.message.split()[0] for p in found] == ["b", "large", "other"]


def test_tensors_that_are_refused_have_no_places() -> None:
    a, b = tensor("a", 60), tensor("b", 60)
    refused([[(a, b)]])
    assert (a.offset, b.offset) == (None, None)
