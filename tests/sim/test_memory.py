"""Stores: bytes, which of them are initialised, copies on write, and what a checkpoint keeps."""

from __future__ import annotations

import numpy as np

from nasm.sim.memory import BLOCK, POISON, Array, CopyOnWrite, Journal, Store


class Bytes:
    """Some bytes of a store, which can be written."""

    number, solid = 0, True

    def __init__(self, store: Store, low: int, high: int) -> None:
        self.store, self.low, self.high = store, low, high
        self.columns = low, high
        self.kept: Journal | None = None
        self.array: Array = store.array(np.uint8, low, (high - low,), (1,))

    def bits(self) -> np.ndarray:
        return self.store.mask(1, self.low, (self.high - self.low,), (1,))

    def put(self, *values: int) -> None:
        self.store.before_change(self)
        self.array[...] = values


def test_uninitialised_memory_is_poison() -> None:
    store = Store("m", 2, 8)
    assert (store.data == POISON).all()
    assert np.isnan(store.array(np.float32, 0, (2, 2), (8, 4))).all()


def test_a_copy_on_write_array_keeps_its_bytes_when_the_store_changes() -> None:
    store = Store("m", 1, 4)
    whole = Bytes(store, 0, 4)
    whole.put(1, 2, 3, 4)
    copy = CopyOnWrite(store, whole.array)
    whole.put(9, 9, 9, 9)
    assert copy.take().tolist() == [1, 2, 3, 4]
    assert store.data.tolist() == [[9, 9, 9, 9]]
    assert not store.shared


def test_an_untouched_copy_on_write_array_is_not_copied_and_ends() -> None:
    store = Store("m", 1, 4)
    whole = Bytes(store, 0, 4)
    whole.put(1, 2, 3, 4)
    copy = CopyOnWrite(store, whole.array)
    assert copy.take() is whole.array
    assert not store.shared


def test_a_checkpoint_has_the_bytes_and_the_mask_of_every_block_that_changed() -> None:
    store = Store("m", 1, 3 * BLOCK)
    first, last, edge = Bytes(store, 0, 2), Bytes(store, 2 * BLOCK, 2 * BLOCK + 2), None
    first.put(1, 2)
    first.bits()[...] = True
    early = store.save()
    last.put(3, 4)
    last.bits()[...] = True
    edge = Bytes(store, BLOCK - 1, BLOCK + 1)
    edge.put(5, 6)
    late = store.save()
    first.put(7, 8)
    assert len(store.journal) == 1
    store.restore(late)
    assert (first.array.tolist(), edge.array.tolist()) == ([1, 2], [5, 6])
    store.restore(early)
    assert first.array.tolist() == [1, 2]
    assert first.bits().all()
    assert last.array.tolist() == edge.array.tolist() == [POISON, POISON]
    assert not last.bits().any()


def test_a_block_is_some_bytes_of_every_row() -> None:
    store = Store("m", 128, 4 * BLOCK // 128)
    assert store.width == BLOCK // 128
    saved = store.save()
    change = Bytes(store, store.width, 2 * store.width)  # of row 0, and so of all that is kept
    change.put(*[7] * store.width)
    assert list(store.journal) == [1]
    store.data[127, store.width] = 8
    store.data[0, 0] = 9  # behind its back: no block that was kept
    store.restore(saved)
    assert (store.data[0, store.width], store.data[127, store.width]) == (POISON, POISON)
    assert store.data[0, 0] == 9


def test_marks_that_are_pending_at_a_checkpoint_are_pending_again_after_going_back() -> None:
    store = Store("m", 1, 8)
    some = Bytes(store, 2, 4)
    some.put(1, 2)
    store.pending.append(some)
    saved = store.save()
    store.flush()
    assert store.written.sum() == 2
    store.restore(saved)
    assert store.pending == [some]
    assert not store.written.any()


def test_a_copy_on_write_array_of_a_checkpoint_shares_its_bytes_again_after_going_back() -> None:
    store = Store("m", 1, 4)
    whole = Bytes(store, 0, 4)
    whole.put(1, 2, 3, 4)
    copy = CopyOnWrite(store, whole.array)
    saved = store.save()
    assert copy.take() is whole.array
    whole.put(9, 9, 9, 9)
    store.restore(saved)
    assert store.shared == [copy]
    whole.put(5, 5, 5, 5)
    assert copy.take().tolist() == [1, 2, 3, 4]


def test_who_may_add_to_bytes_goes_back_too() -> None:
    store = Store("m", 1, 4)
    whole = Bytes(store, 0, 4)
    before = store.save()
    whole.put(1, 2, 3, 4)
    store.not_accumulable_mask(1, 0, (4,), (1,))[...] = True
    after = store.save()
    whole.put(5, 6, 7, 8)
    store.not_accumulable_mask(1, 0, (4,), (1,))[...] = False
    store.restore(after)
    assert store.not_accumulable is not None
    assert store.not_accumulable.all()
    store.restore(before)
    assert store.not_accumulable is None


def test_writes_that_are_everything_between_them_leave_no_marks() -> None:
    store = Store("m", 1, 8)
    store.pending += [Bytes(store, 5, 8), Bytes(store, 0, 3)]
    assert not store.knows(0)
    assert store.written.tolist() == [[True] * 3 + [False] * 2 + [True] * 3]
    store.pending += [Bytes(store, 4, 8), Bytes(store, 0, 4)]
    assert store.knows(0)
    assert not store.written[0, 3:5].any()


def test_writes_of_some_bytes_of_their_columns_are_not_everything() -> None:
    store = Store("m", 1, 8)
    part = Bytes(store, 0, 8)
    part.solid, part.bits = False, lambda: store.mask(1, 0, (4,), (2,))
    store.pending.append(part)
    assert not store.knows(0)
    assert store.written.tolist() == [[True, False] * 4]
