"""Which tensors share bytes, directly or by way of others."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

import nasm
from nasm.analysis.summary import overlaid_tensors
from nasm.base.dtypes import find
from nasm.base.source import Source
from nasm.machine.state import groups
from nasm.views.tensor import Memory, Tensor
from tests.parts import examples

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


@settings(max_examples=examples(400, 50))
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


def test_tensors_whose_places_nothing_chose_share_none() -> None:
    a, b = (tensor(n, LANES, 0, 0, 1, 0, 4) for n in range(2))
    a.fixed = b.fixed = False
    assert groups([a, b]) == [[a], [b]]


PLACES = """\
.target trn1
.sbuf under f32[128, 8] @ 0:0
.sbuf half f32[128, 4] @ 0:0
.sbuf rest f32[64, 4] @ 0:16
.sbuf apart f32[128, 8]
@vector Memset under, 1.0
"""


def memory_hash(text: str) -> str:
    """The hash of memory after a run of a text."""
    return nasm.Session(Source("places.nasm", text)).run().memory_hash


def test_a_hash_of_memory_has_each_byte_that_tensors_share_at_least_once() -> None:
    first = memory_hash(PLACES)
    assert memory_hash(PLACES.replace("Memset under, 1.0", "Memset under, 2.0")) != first
    last = f"{PLACES}@vector Memset under[96, 7], "  # no other tensor has this element
    assert memory_hash(f"{last}1.0\n") == first
    assert memory_hash(f"{last}2.0\n") != first
    covered = PLACES.replace("f32[64, 4] @ 0:16", "f32[128, 4] @ 0:16")
    assert memory_hash(covered.replace("Memset under, 1.0", "Memset under, 2.0")) != memory_hash(
        covered
    )
    assert memory_hash(covered.replace("under", "below")) != memory_hash(covered)


def test_tensors_whose_bytes_others_have_are_hashed_by_name_only() -> None:
    covered = PLACES.replace("f32[64, 4] @ 0:16", "f32[128, 4] @ 0:16")
    found = {}
    for text in (PLACES, covered):
        session = nasm.Session(Source("places.nasm", text))
        names = list(session.program.tensors)
        found[text] = [names[n] for n in overlaid_tensors(session.machine)]
    assert found == {PLACES: [], covered: ["under"]}


def test_views_of_tensors_that_share_bytes_are_each_at_their_own_place() -> None:
    """Wherever their tensor begins: of views that look alike one may be 32 partitions further."""
    places = {"a": (0, 128, 0), "b": (32, 64, 0), "c": (64, 64, 16), "d": (96, 32, 8)}
    lines = [f".sbuf {n} f32[{rows}, 16] @ {p}:{at}" for n, (p, rows, at) in places.items()]
    session = nasm.Session("\n".join((".target trn2", *lines, "@vector Nop")))
    addresses = session.machine.addresses
    assert len({session.machine.state.areas[session.program.tensors[n].index] for n in places}) == 1
    for first, count in product((0, 32, 64), (16, 32)):
        for name, (partition, rows, offset) in places.items():
            if first + count <= rows:
                view = session.view(f"{name}[{first} : +{count}, 4:8]")
                region = addresses.region(view)
                assert region.rows == (partition + first, count, 1), view
                assert (region.low, region.high) == (offset + 16, offset + 32), view
