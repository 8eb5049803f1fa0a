"""Where tensors go. Memories and sizes here are made up, so that places are found on paper."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nasm.base.dtypes import DType, find
from nasm.program.placement import chart, fixed_problem, place
from nasm.views.tensor import Memory, Tensor

PLAIN = Memory("plain", partitions=128, size=100, align=4, summary="", source="made up")
BANKED = Memory("banked", partitions=128, size=256, bank=64, align=4, summary="", source="made up")
LINEAR = Memory("linear", partitions=0, size=0, align=64, summary="", source="made up")


def dtype(name: str) -> DType:
    found = find(name)
    assert found is not None
    return found


def tensor(
    name: str,
    size: int,
    memory: Memory = PLAIN,
    kind: str = "uint8",
    rows: int = 128,
    at: tuple[int, int] | None = None,
    core: int = 0,
) -> Tensor:
    """A tensor of so many bytes per partition; ``at`` is a place the program chose."""
    each = size // dtype(kind).itemsize
    shape = (rows, each) if memory.partitions else (each,)
    made = Tensor(name, memory, dtype(kind), shape, core=core)
    if at is not None:
        made.partition, made.offset, made.fixed = *at, True
    return made


def placed(*tensors: Tensor) -> list[int | None]:
    assert place(tensors) == []
    return [t.offset for t in tensors]


# -- first fit


def test_tensors_follow_each_other_in_order_of_declaration() -> None:
    assert placed(tensor("a", 40), tensor("b", 20), tensor("c", 40)) == [0, 40, 60]


def test_all_start_at_partition_0() -> None:
    few = tensor("few", 40, rows=3)
    assert placed(few, tensor("b", 40)) == [0, 40]
    assert few.partition == 0


def test_a_start_is_aligned_to_memory_and_dtype() -> None:
    assert placed(tensor("a", 1), tensor("b", 1), tensor("c", 2, kind="int16")) == [0, 4, 8]
    wide = tensor("w", 8, kind="float8_e5m2_x4")
    assert wide.dtype.itemsize == 4
    assert placed(tensor("a", 5), wide) == [0, 8]
    assert placed(*[tensor(n, 10, LINEAR) for n in "abc"]) == [0, 64, 128]


def test_the_lowest_gap_that_is_large_enough_is_taken() -> None:
    fixed = (tensor("f", 12, at=(0, 20)), tensor("g", 28, at=(0, 40)))
    # Free are 0..20, 32..40 and 68..100.
    loose = (tensor("a", 24), tensor("b", 8), tensor("c", 12), tensor("d", 5), tensor("e", 5))
    assert placed(*fixed, *loose)[2:] == [68, 0, 8, 32, 92]


def test_cores_have_memories_of_their_own_and_share_what_is_shared() -> None:
    shared = Memory("shared", 0, 0, "", "made up", shared=True, align=4)
    tensors = [tensor(n, 60, core=c) for n, c in (("a", 0), ("b", 1))]
    assert placed(*tensors) == [0, 0]
    assert placed(tensor("a", 60, shared), tensor("b", 60, shared, core=1)) == [0, 60]


def test_placing_again_moves_nothing() -> None:
    first, second = tensor("a", 40), tensor("b", 40)
    assert placed(first) == [0]
    assert placed(first, second) == [0, 40]


# -- banks


def test_a_tensor_that_fits_a_bank_stays_within_one() -> None:
    # 40 and 40 do not share a bank of 64; 20 fits behind the first.
    tensors = [tensor(n, size, BANKED) for n, size in (("a", 40), ("b", 40), ("c", 20))]
    assert placed(*tensors) == [0, 64, 40]


def test_a_larger_one_starts_at_a_border() -> None:
    tensors = [tensor(n, size, BANKED) for n, size in (("a", 20), ("b", 100), ("c", 64), ("d", 28))]
    # b covers 64..164, so c takes the last bank; d fits behind b, in what is left of its second.
    assert placed(*tensors) == [0, 64, 192, 20]
    assert placed(*tensors, tensor("e", 28, BANKED))[-1] == 164


def test_a_whole_memory_can_be_one_tensor() -> None:
    assert placed(tensor("all", 256, BANKED)) == [0]


# -- places the program chose


def test_what_is_fixed_is_avoided_wherever_it_is_declared() -> None:
    late = tensor("late", 40, at=(0, 0))
    assert placed(tensor("a", 40), late) == [40, 0]


def test_only_fixed_tensors_share_bytes_on_other_partitions() -> None:
    upper = tensor("upper", 60, rows=64, at=(64, 0))
    lower, whole = tensor("lower", 60, rows=64), tensor("whole", 40)
    # lower covers partitions 0 to 63 only, so it may lie beside upper; whole may not.
    assert placed(upper, lower, whole) == [0, 0, 60]


def test_two_fixed_tensors_may_overlap_for_the_program_said_so() -> None:
    assert placed(tensor("a", 40, at=(0, 8)), tensor("b", 40, at=(0, 8))) == [8, 8]


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (tensor("t", 40, at=(1, 0)), "t would cover partitions 1 to 128; plain has 128"),
        (tensor("t", 40, rows=1, at=(-1, 0)), "t would cover partitions -1 to -1; plain has 128"),
        (tensor("t", 40, at=(0, 64)), "t would end at byte 104 of each partition; plain has 100"),
        (tensor("t", 40, at=(0, -4)), "t would begin at byte -4; the first is 0"),
        (tensor("t", 40, kind="int32", at=(0, 2)), "t at byte 2 is not aligned to its int32"),
        (tensor("t", 40, at=(0, 60)), None),
        (tensor("t", 40, kind="bfloat16", rows=64, at=(64, 2)), None),
    ],
)
def test_a_place_that_cannot_be_is_said(one: Tensor, said: str | None) -> None:
    assert fixed_problem(one) == said


# -- what does not fit


def test_what_does_not_fit_is_said_with_a_map_once() -> None:
    tensors = [
        tensor("a", 40),
        tensor("f", 20, rows=2, at=(4, 60)),
        tensor("b", 44),
        tensor("c", 48),
        tensor("d", 16),
    ]
    first, second = place(tensors)
    assert tensors[-1].offset == 40
    assert (first.code, second.code) == ("E0311", "E0311")
    assert "b needs 44 bytes per partition" in first.message
    assert "60 of 100 are used" in first.message
    assert [line.split() for line in first.hint.splitlines()[2:]] == [
        ["0", "..", "40", "40", "bytes", "a,", "partitions", "0", "to", "127"],
        ["40", "..", "60", "20", "bytes", "(free)"],
        ["60", "..", "80", "20", "bytes", "f,", "partitions", "4", "to", "5"],
        ["80", "..", "100", "20", "bytes", "(free)"],
    ]
    assert "c needs 48" in second.message
    assert second.hint == ""


def test_a_map_names_banks_and_stays_short() -> None:
    owners = [tensor(f"t{n}", 4, BANKED, at=(0, 8 * n)) for n in range(32)]
    lines = chart(BANKED, owners)
    assert len(lines) == 13
    assert "52 more" in lines[-2]
    assert lines[0].split() == [
        "0",
        "..",
        "4",
        "bank",
        "0",
        "4",
        "bytes",
        "t0,",
        "partitions",
        "0",
        "to",
        "127",
    ]
    assert "banks 0-2" in chart(BANKED, [tensor("wide", 130, BANKED, at=(0, 0))])[0]


def test_linear_memories_grow() -> None:
    assert placed(tensor("a", 1 << 30, LINEAR), tensor("b", 4, LINEAR)) == [0, 1 << 30]


# -- laws


KINDS = ("uint8", "bfloat16", "float32")
SIZES = st.tuples(st.sampled_from(KINDS), st.integers(1, 40), st.integers(1, 128))


@given(
    st.sampled_from([PLAIN, BANKED]),
    st.lists(SIZES, max_size=12),
    st.lists(
        st.tuples(st.integers(0, 20), st.integers(1, 8), st.integers(0, 100), st.integers(1, 28)),
        max_size=3,
    ),
)
def test_placed_tensors_share_no_byte_and_stay_within_bounds(
    memory: Memory, sizes: list[tuple[str, int, int]], fixed: list[tuple[int, int, int, int]]
) -> None:
    chosen = [
        tensor(f"f{n}", 4 * words, memory, "int32", rows, at=(first, 4 * at))
        for n, (at, words, first, rows) in enumerate(fixed)
        if 4 * (at + words) <= memory.size
    ]
    loose = [
        tensor(f"t{n}", count * dtype(kind).itemsize, memory, kind, rows)
        for n, (kind, count, rows) in enumerate(sizes)
    ]
    refused = {p.message.split()[0] for p in place([*chosen, *loose])}
    good = [t for t in loose if t.name not in refused]
    assert {t.name for t in loose if t.offset is None} == refused
    owned: dict[tuple[int, int], str] = {
        (row, byte): t.name for t in chosen for row, byte in cells(t)
    }
    for one in good:
        assert one.partition == 0
        assert one.offset is not None
        assert one.offset % max(4, one.dtype.itemsize) == 0
        assert one.offset + one.bytes <= memory.size
        if memory.bank and one.bytes <= memory.bank:
            assert one.offset // memory.bank == (one.offset + one.bytes - 1) // memory.bank
        elif memory.bank:
            assert one.offset % memory.bank == 0
        assert not owned.keys() & set(cells(one))
        assert one.offset == lowest(one, [*chosen, *good[: good.index(one)]])
        owned |= dict.fromkeys(cells(one), one.name)


def lowest(one: Tensor, owners: list[Tensor]) -> int:
    """Where one fits first, found by trying every byte."""
    bank = one.memory.bank
    for at in range(0, one.memory.size, max(4, one.dtype.itemsize)):
        if bank and (at % bank if one.bytes > bank else at // bank != (at + one.bytes - 1) // bank):
            continue
        if not any(
            (o.offset or 0) < at + one.bytes
            and at < (o.offset or 0) + o.bytes
            and (o.partition or 0) < one.partitions
            for o in owners
        ):
            return at
    raise AssertionError


def test_thousands_of_tensors_are_placed_at_once() -> None:
    many = Memory("many", partitions=128, size=1 << 18, align=4, summary="", source="made up")
    tensors = [tensor(f"t{n}", 4 + 4 * (n % 3), many) for n in range(20_000)]
    begun = time.process_time()
    assert place(tensors) == []
    assert time.process_time() - begun < 2  # looking through all those before takes minutes


def test_no_more_than_fifty_are_said_not_to_fit() -> None:
    assert len(place([tensor(f"t{n}", 40) for n in range(100)])) == 50


def cells(one: Tensor) -> list[tuple[int, int]]:
    """Every byte a tensor owns, as (partition, byte); a few partitions stand for all."""
    assert one.offset is not None
    first = one.partition or 0
    rows = [r for r in (0, 1, 5, 31, 63, 64, 100, 127) if first <= r < first + one.partitions]
    return [(r, one.offset + b) for r in rows for b in range(one.bytes)]


@given(st.lists(st.integers(1, 25), min_size=1, max_size=8))
def test_what_fits_without_gaps_is_placed(words: list[int]) -> None:
    """Whole words leave no gaps, so only the sum decides."""
    tensors = [tensor(f"t{n}", 4 * size) for n, size in enumerate(words)]
    assert (place(tensors) == []) == (4 * sum(words) <= PLAIN.size)


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(1, 9), st.integers(0, 3)), max_size=12),
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 4)), max_size=6),
)
def test_tensors_keep_clear_of_placed_ones_that_overlap(
    placed: list[tuple[int, int, int]], others: list[tuple[int, int]]
) -> None:
    """The first byte that is free, looked for byte by byte."""
    fixed = [
        tensor(f"f{n}", min(size, 100 - at), rows=2, at=(partition, at))
        for n, (at, size, partition) in enumerate(placed)
    ]
    free = [tensor(f"t{n}", size, rows=rows) for n, (size, rows) in enumerate(others)]
    place([*fixed, *free])
    taken = [
        {b for f in fixed if f.partition == p or f.partition == p - 1 for b in spread(f)}
        for p in range(4)
    ]
    for made in free:
        blocked = set().union(*taken[: made.partitions])
        begins = (at for at in range(0, 101 - made.bytes, 4))
        wanted = next((a for a in begins if not blocked & set(range(a, a + made.bytes))), None)
        assert made.offset == wanted
        if wanted is not None:
            for row in taken:
                row |= set(spread(made))


def spread(made: Tensor) -> range:
    """The bytes of each of its partitions."""
    assert made.offset is not None
    return range(made.offset, made.offset + made.bytes)
