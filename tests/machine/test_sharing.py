"""Which tensors share bytes, directly or by way of others."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from nasm.dtypes import find
from nasm.machine.state import groups
from nasm.spec.memory import Memory, Tensor

LANES = Memory("lanes", 128, 400, "", "made up")
LINEAR = Memory("linear", 0, 0, "", "made up", shared=True)


def tensor(
    number: int, memory: Memory, core: int, first: int, rows: int, at: int, size: int
) -> Tensor:
    """A tensor at a chosen place."""
    dtype = find("uint8")
    assert dtype is not None
    shape = (rows, size) if memory.partitions else (size,)
    made = Tensor(f"t{number}", memory, dtype, shape, core=core, index=number)
    made.partition, made.offset, made.fixed = first if memory.partitions else 0, at, True
    return made


@settings(max_examples=400)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([LANES, LANES, LINEAR]),
            st.integers(0, 1),
            st.integers(0, 9),
            st.integers(1, 9),
            st.integers(0, 60),
            st.integers(1, 20),
        ),
        max_size=12,
    )
)
def test_groups_are_what_pairs_that_share_bytes_lead_to(
    places: list[tuple[Memory, int, int, int, int, int]],
) -> None:
    tensors = [tensor(n, *place) for n, place in enumerate(places)]
    found = groups(tensors)
    assert sorted(t.index for group in found for t in group) == list(range(len(tensors)))
    of = {t.index: number for number, group in enumerate(found) for t in group}
    reached = list(range(len(tensors)))
    for _ in tensors:
        for a in tensors:
            for b in tensors:
                if a.shares(b):
                    reached[a.index] = min(reached[a.index], reached[b.index])
    for a in tensors:
        for b in tensors:
            assert (of[a.index] == of[b.index]) == (reached[a.index] == reached[b.index])


def test_tensors_whose_places_nobody_chose_share_none() -> None:
    a, b = (tensor(n, LANES, 0, 0, 1, 0, 4) for n in range(2))
    a.fixed = b.fixed = False
    assert groups([a, b]) == [[a], [b]]
