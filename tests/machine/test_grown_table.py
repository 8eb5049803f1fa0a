"""Tables that are saved without a copy, against dictionaries that are copied."""

from __future__ import annotations

from random import Random

import pytest

from nasm.machine.grown_table import GrownTable
from tests.parts import part


def same(table: GrownTable[int, str], model: dict[int, str]) -> bool:
    order = list(model)
    numbers = [table.number(key) for key in range(12)]
    wanted = [order.index(key) if key in model else None for key in range(12)]
    return [*table.items()] == [*model.items()] and len(table) == len(model) and numbers == wanted


def test_what_is_done_again_is_there_already() -> None:
    table = GrownTable[int, str]()
    before = table.save()
    table.add(1, "a")
    table.add(2, "b")
    after = table.save()
    table.restore(before)
    assert table.number(1) is None
    assert [*table] == []
    table.add(1, "a")
    assert table.save()[0] is after[0]
    table.add(3, "c")
    assert [*table] == ["a", "c"]
    assert table.number(2) is None
    table.restore(after)
    assert [*table.items()] == [(1, "a"), (2, "b")]
    assert table.number(3) is None


@pytest.mark.parametrize("seed", part(range(200), 20))
def test_a_table_is_as_it_was_saved_whatever_came_after(seed: int) -> None:
    random, table, model = Random(seed), GrownTable[int, str](), dict[int, str]()
    saved = [(table.save(), dict(model))]
    for _ in range(200):
        what = random.random()
        if what < 0.6:
            key = random.randrange(12)
            if key not in model:
                model[key] = random.choice("ab")
                assert table.add(key, model[key]) == len(model) - 1
        elif what < 0.8:
            saved.append((table.save(), dict(model)))
        else:
            was, held = random.choice(saved)
            table.restore(was)
            model = dict(held)
        assert same(table, model)
