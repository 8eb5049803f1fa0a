"""What a command makes is looked at neither while it is answered nor in the next answers."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from nasm.base import gc_pause


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    gc.collect()
    yield
    gc.collect()


class Node:
    """Something that refers to itself."""

    def __init__(self) -> None:
        self.own = self


def test_much_that_was_made_counts_as_old() -> None:
    with gc_pause.answering():
        assert not gc.isenabled()
        made = [Node() for _ in range(2 * gc_pause.MANY)]
    assert gc.isenabled()
    young = {id(one) for generation in (0, 1) for one in gc.get_objects(generation)}
    assert not young & {id(one) for one in made}


def test_what_was_given_up_is_collected_once_it_may_be_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gc_pause, "MANY", 10)
    monkeypatch.setattr(gc_pause, "MOST", 500)
    monkeypatch.setattr(gc_pause, "_aged", 0)
    nodes: list[weakref.ref[Node]] = []
    alive = []
    for _ in range(3):
        with gc_pause.answering():
            nodes += [weakref.ref(Node()) for _ in range(100)]
        alive.append(sum(node() is not None for node in nodes))
    assert alive == [100, 200, 0]
