"""What certainly comes before the end of a wait, against every way in which it can add up."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from nasm.order.exact_waits import MOST, Tally, minimum_counts
from nasm.order.posts import Posts
from nasm.order.skeleton import COMPLETES
from tests.parts import part


def posts(queue: int, values: list[int]) -> Posts:
    made = Posts(queue, COMPLETES, queue)
    for index, value in enumerate(values):
        made.add(index, (0,), value)
    return made


def tally(chance: Random, queue: int) -> tuple[Tally, list[int]]:
    """Some changes of a queue, how many of them have been made, and which of them count."""
    values = [chance.randrange(1, 4) for _ in range(chance.randrange(6))]
    count = len(values)
    known = chance.randrange(count + 1)
    first = chance.randrange(count + 1)
    behind = chance.randrange(2)

    def needs(other: Posts, made: int) -> int:
        assert made, "before none there is nothing"
        return min(made - 1, behind)

    wiped, most = chance.randrange(first, count + 1), chance.randrange(known, count + 1)
    made = Tally(posts(queue, values), needs, chance.choice((1, -1)), first, wiped, known, most)
    return made, values


def ways(rows: list[tuple[Tally, list[int]]], low: int, high: int) -> list[tuple[int, ...]]:
    """How many of each row have been made, in each way that adds up: change by change."""
    found = []
    for made in product(*(range(one.known, one.most + 1) for one, _ in rows)):
        wipes = (
            range(min(one.first, n), min(one.wiped, n) + 1)
            for (one, _), n in zip(rows, made, strict=True)
        )
        sums = {
            sum(
                one.sign * value
                for (one, values), n, first in zip(rows, made, gone, strict=True)
                for value in values[first:n]
            )
            for gone in product(*wipes)
        }
        allowed = all(
            not n or rows[j][0].posts is one.posts or one.needs(rows[j][0].posts, n) <= made[j]
            for (one, _), n in zip(rows, made, strict=True)
            for j in range(len(rows))
        )
        if allowed and any(low <= total <= high for total in sums):
            found.append(made)
    return found


def test_the_least_of_each_row_in_all_ways_that_add_up() -> None:
    kinds = {"none": 0, "some": 0}
    for seed in part(range(2000), 200):
        chance = Random(seed)
        rows = [tally(chance, queue) for queue in range(chance.randrange(1, 4))]
        low = chance.randrange(-6, 10)
        high = low + chance.choice((0, 0, 2, 50))
        wanted = ways(rows, low, high)
        got = minimum_counts([one for one, _ in rows], low, high)
        kinds["some" if wanted else "none"] += 1
        if not wanted:
            assert got is None, seed
            continue
        least = [min(column) for column in zip(*wanted, strict=True)]
        assert got == [
            (one.posts, count) for (one, _), count in zip(rows, least, strict=True) if count
        ], seed
    assert min(kinds.values()) > 10


@pytest.mark.parametrize(("open_", "exact"), [(1, True), (MOST - 1, True), (MOST, False)])
def test_only_what_is_open_counts_as_a_way(open_: int, exact: bool) -> None:
    """However many changes have been made before, those are no choice."""
    row = posts(0, [1] * (4 * MOST))
    one = Tally(row, lambda other, made: 0, 1, 0, 0, 2 * MOST, 2 * MOST + open_)
    low = 2 * MOST + 1
    assert minimum_counts([one], low, low) == ([(row, low)] if exact else [])
    gone = Tally(row, lambda other, made: 0, 1, 2 * MOST, 2 * MOST + open_, low + MOST, low + MOST)
    assert minimum_counts([gone], MOST, MOST) == ([(row, low + MOST)] if exact else [])
