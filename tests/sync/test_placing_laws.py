"""What holds of every placement, tried on random lifetimes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from nasm.views.tensor import Memory, Tensor
from tests.parts import examples
from tests.sync.placed import BANKED, PLAIN, refused, tensor

LOOSE = st.tuples(st.integers(1, 140), st.sampled_from([1, 5, 128]))
CHOSEN = st.tuples(st.integers(0, 15), st.integers(1, 9), st.sampled_from([0, 3, 100]))
SHAPE = st.lists(st.integers(0, 9) | st.lists(st.integers(0, 9), max_size=3), max_size=12)


def drawn(
    memory: Memory, loose: list[Any], chosen: list[Any], shape: list[Any], seed: int
) -> tuple[list[Any], list[Tensor]]:
    """A text that mentions tensors: each instruction up to three of them, lists are loops."""
    made = [tensor(f"t{n}", size, memory, rows=rows) for n, (size, rows) in enumerate(loose)]
    made += [
        tensor(f"f{n}", 4 * words, memory, rows=20, at=(first, 4 * at))
        for n, (at, words, first) in enumerate(chosen)
    ]
    rng = random.Random(seed)

    def instruction() -> tuple[Tensor, ...]:
        return tuple(rng.choice(made) for _ in range(rng.randrange(4))) if made else ()

    def text(parts: list[Any]) -> list[Any]:
        return [text(part) if isinstance(part, list) else instruction() for part in parts]

    return text(shape), made


def moments(text: list[Any], begun: int = 0, loop: int | None = None) -> Iterator[tuple[int, Any]]:
    """Every instruction with its number; all of an outermost loop have the same."""
    for n, part in enumerate(text):
        at = begun + n if loop is None else loop
        if isinstance(part, list):
            yield from moments(part, 0, at)
        else:
            yield at, part


def together(text: list[Any]) -> set[frozenset[Tensor]]:
    """The pairs of tensors that are alive at one moment."""
    when: dict[Tensor, list[int]] = {}
    for at, named in moments(text):
        for one in named:
            when.setdefault(one, []).append(at)
    pairs = set()
    for a, mentions in when.items():
        for b, others in when.items():
            if a is not b and min(mentions) <= max(others) and min(others) <= max(mentions):
                pairs.add(frozenset((a, b)))
    return pairs


def share(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors have a byte in common, looked for in every partition."""
    rows = [set(range(t.partition or 0, (t.partition or 0) + t.partitions)) for t in (a, b)]
    lanes = [set(range(t.offset or 0, (t.offset or 0) + t.bytes)) for t in (a, b)]
    return bool(rows[0] & rows[1]) and bool(lanes[0] & lanes[1])


@settings(max_examples=examples(300, 37))
@given(
    st.sampled_from([PLAIN, BANKED]),
    st.lists(LOOSE, max_size=10),
    st.lists(CHOSEN, max_size=4),
    SHAPE,
    st.integers(0, 1 << 20),
)
def test_no_tensor_shares_a_byte_with_another_that_lives_when_it_does(
    memory: Memory, loose: list[Any], chosen: list[Any], shape: list[Any], seed: int
) -> None:
    text, made = drawn(memory, loose, chosen, shape, seed)
    before = {t: t.offset for t in made if t.fixed}
    mine = [t for t in made if not t.fixed]
    if refused([text], made):
        return
    for one in mine:
        assert (one.partition, one.fixed) == (0, True)
        assert one.offset is not None
        assert one.offset % 4 == 0
        assert 0 <= one.offset <= memory.size - one.bytes
        if memory.bank and one.bytes <= memory.bank:
            assert one.offset // memory.bank == (one.offset + one.bytes - 1) // memory.bank
        elif memory.bank and any(one in named for _, named in moments(text)):
            assert one.offset % memory.bank == 0
    assert {t: t.offset for t in before} == before
    for a, b in map(tuple, together(text)):
        assert (a in before and b in before) or not share(a, b)


@settings(max_examples=examples(200, 25))
@given(st.lists(LOOSE, max_size=10), SHAPE, st.integers(0, 1 << 20))
def test_bytes_are_used_again_only_when_there_are_no_others(
    loose: list[Any], shape: list[Any], seed: int
) -> None:
    text, made = drawn(PLAIN, loose, [], shape, seed)
    used = {t for _, named in moments(text) for t in named}
    if sum(-(-t.bytes // 4) * 4 for t in used) > PLAIN.size:
        return
    found = refused([text], made)
    assert all(p.message.split()[0] not in {t.name for t in used} for p in found)
    assert not any(share(a, b) for a in used for b in used if a is not b)


@settings(max_examples=examples(100, 12))
@given(st.lists(LOOSE, max_size=10), st.lists(CHOSEN, max_size=4), SHAPE, st.integers(0, 1 << 20))
def test_what_is_refused_is_refused_with_its_map_and_the_same_places_come_out_twice(
    loose: list[Any], chosen: list[Any], shape: list[Any], seed: int
) -> None:
    once, twice = (drawn(PLAIN, loose, chosen, shape, seed) for _ in range(2))
    first, second = (refused([text], made) for text, made in (once, twice))
    assert first == second
    assert [t.offset for t in once[1]] == [t.offset for t in twice[1]]
    assert all(p.code == "E0311" and p.hint for p in first)
