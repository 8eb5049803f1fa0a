"""Where tensors go that live at different times. Memories and sizes are made up, places on paper.

``PLAIN`` has 100 bytes in each of 128 partitions, ``BANKED`` four banks of 64.
"""

from __future__ import annotations

from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.list_kinds import mentioned
from nasm.sync.live_ranges import Life
from nasm.views.view import Offsets, View
from tests.sync.placed import BANKED, LINEAR, Writes, lives, offsets, refused, tensor

# -- round the memory


def test_bytes_are_used_again_as_late_as_possible() -> None:
    a, b, c, d = (tensor(n, 40) for n in "abcd")
    # c does not fit behind b, and begins again where a was.
    assert offsets([(a,), (b,), (c,), (d,)], a, b, c, d) == [0, 40, 0, 40]


def test_what_fits_beside_all_others_shares_no_byte() -> None:
    tensors = [tensor(f"t{n}", 20) for n in range(5)]
    assert offsets([(t,) for t in tensors], *tensors) == [0, 20, 40, 60, 80]


def test_one_that_is_read_where_another_is_written_is_still_alive() -> None:
    a, b, c = (tensor(n, 40) for n in "abc")
    assert [p.code for p in refused([[(a,), (b,), (a, b, c)]])] == ["E0311"]
    a, b, c = (tensor(n, 40) for n in "abc")
    assert offsets([(a,), (b, a), (c, b)], a, b, c) == [0, 40, 0]


def test_order_is_that_of_first_use_not_of_declaration() -> None:
    late, early = tensor("late", 40), tensor("early", 40)
    assert offsets([(early,), (late,)], late, early) == [40, 0]


def test_tensors_placed_for_their_lifetimes_are_marked_as_such() -> None:
    a = tensor("a", 40, rows=3)
    offsets([(a,)], a)
    assert (a.partition, a.fixed) == (0, True)


def test_cores_have_memories_of_their_own() -> None:
    a, b = tensor("a", 60), tensor("b", 60, core=1)
    assert offsets([(a,)], a, b, cores=[[(b,)]]) == [0, 0]


def test_device_memory_is_never_used_again() -> None:
    a, b = tensor("a", 60, LINEAR), tensor("b", 60, LINEAR)
    assert offsets([(a,), (b,)], a, b) == [0, 64]
    assert not a.fixed


def test_inputs_and_outputs_share_no_byte_with_anybody() -> None:
    a, b, c = tensor("a", 40, role="output"), tensor("b", 40), tensor("c", 60)
    assert offsets([(b,), (a,), (c,)], a, b, c) == [0, 40, 40]


def test_one_with_initial_values_is_alive_before_the_program() -> None:
    first, made = tensor("first", 60), tensor("made", 60, init="zeros")
    assert [p.code for p in refused([[(first,), (made,)]])] == ["E0311"]
    made, last = tensor("made", 60, init="zeros"), tensor("last", 60)
    assert offsets([(made,), (last,)], made, last) == [0, 0]


# -- loops


def test_what_a_round_reads_of_the_one_before_is_alive_for_the_whole_loop() -> None:
    a, b, c = tensor("a", 40), tensor("b", 40), tensor("c", 40)
    assert refused([[[(a,), (b,), (c,)]]])
    a, b, c = tensor("a", 40), tensor("b", 40), tensor("c", 40)
    assert offsets([[(a,), (b,)], (c,)], a, b, c) == [0, 40, 0]


def test_one_that_is_read_in_a_loop_is_needed_until_its_end() -> None:
    a, b = tensor("a", 60), tensor("b", 60)
    assert refused([[(a,), [(a,), (b,)]]])


def test_one_that_is_read_behind_a_loop_is_there_from_its_beginning() -> None:
    a, b = tensor("a", 60), tensor("b", 60)
    assert refused([[[(b,), (a,)], (a,)]])


def test_the_outermost_loop_counts() -> None:
    a, b = tensor("a", 60), tensor("b", 60)
    assert refused([[[[(a,)], [(b,)]]]])


def test_lifetimes_count_instructions_those_that_make_a_loop_go_included() -> None:
    a, b, c = tensor("a", 4), tensor("b", 4), tensor("c", 4)
    sequence = [(a,), [(b,), (c,)], (c,)]
    # 0: a; 1: the loop's head, 2: b, 3: c, 4: back; 5: c
    assert lives(sequence) == {"a": Life(0, 0, 0, 0), "b": Life(1, 4, 2, 2), "c": Life(1, 5, 3, 5)}


def test_what_each_round_writes_before_it_reads_it_is_alive_in_between() -> None:
    a, b, c = tensor("a", 40), tensor("b", 40), tensor("c", 40)
    text = [[Writes(a), (a,), Writes(b), (b,), Writes(c), (c,)]]
    assert offsets(text, a, b, c) == [0, 40, 0]


def test_a_loop_in_a_body_counts_as_one_instruction() -> None:
    a, b, c = tensor("a", 4), tensor("b", 4), tensor("c", 4)
    text = [[Writes(a), [(a,), Writes(b), (b,)], Writes(c, (a,)), (c,)]]
    # 0: head, 1: writes a, 2: inner head, 3: a, 4: writes b, 5: b, 6: inner back, 7: writes c,
    # 8: c, 9: back
    assert lives(text) == {"a": Life(1, 7, 1, 7), "b": Life(4, 5, 4, 5), "c": Life(7, 8, 7, 8)}
    assert lives([[Writes(a), [(a,), Writes(b)]]])["a"] == Life(1, 5, 1, 3)


def test_what_several_writes_have_covered_is_written() -> None:
    left, right = slice(0, 2), slice(2, 4)
    for more, life in ((left, Life(0, 4, 1, 3)), (right, Life(1, 3, 1, 3))):
        a = tensor("a", 4)
        text = [[Writes(a, columns=left), Writes(a, columns=more), (a,)]]
        assert lives(text) == {"a": life}
    a = tensor("a", 4)
    text = [[Writes(a, rows=slice(0, 64)), Writes(a, rows=slice(64, 128)), (a,)]]
    assert lives(text) == {"a": Life(1, 3, 1, 3)}


def test_what_a_loop_in_a_body_writes_is_not_written_behind_it() -> None:
    a = tensor("a", 4)
    assert lives([[[Writes(a), (a,)], (a,)]]) == {"a": Life(0, 6, 2, 5)}
    a = tensor("a", 4)
    assert lives([[[Writes(a), (a,)], Writes(a), (a,)]]) == {"a": Life(1, 6, 2, 6)}


def test_one_that_is_added_to_in_each_round_is_alive_for_the_whole_loop() -> None:
    a, b = tensor("a", 60), tensor("b", 60)
    assert refused([[[Writes(a, (a,)), Writes(b), (b,)]]])
    assert lives([[Writes(a, (a,)), Writes(b), (b,)]])["b"] == Life(2, 3, 2, 3)


def test_one_that_is_read_behind_the_loop_too_is_alive_from_its_beginning() -> None:
    a = tensor("a", 4)
    assert lives([[Writes(a), (a,)], (a,)]) == {"a": Life(0, 4, 1, 4)}


# -- places the program chose


def test_a_chosen_place_is_kept_clear_only_while_its_tensor_lives() -> None:
    chosen = tensor("chosen", 60, at=(0, 0))
    a, b, c = tensor("a", 40), tensor("b", 40), tensor("c", 40)
    # chosen lives at 2 and 3: a at 0 to 1, b at 1 to 2, c at 4.
    text = [(a,), (a, b), (b, chosen), (chosen,), (c,)]
    assert offsets(text, chosen, a, b, c) == [0, 0, 60, 0]


def test_one_that_begins_later_is_kept_clear_of_from_the_beginning() -> None:
    chosen, a = tensor("chosen", 60, at=(0, 0)), tensor("a", 40)
    assert offsets([(a,), (chosen,), (a,)], chosen, a) == [0, 60]


def test_chosen_places_overlap_as_they_like() -> None:
    f, g, a = tensor("f", 40, at=(0, 0)), tensor("g", 40, at=(0, 20)), tensor("a", 40)
    assert offsets([(f, g, a)], f, g, a) == [0, 20, 60]


def test_other_partitions_are_not_in_the_way() -> None:
    upper = tensor("upper", 60, rows=64, at=(64, 0))
    lower, whole = tensor("lower", 20, rows=64), tensor("whole", 40)
    assert offsets([(upper, lower, whole)], upper, lower, whole) == [0, 0, 60]


def test_a_chosen_place_that_nothing_uses_is_in_nobodys_way() -> None:
    unused, a = tensor("unused", 100, at=(0, 0)), tensor("a", 40)
    assert offsets([(a,)], unused, a) == [0, 0]


# -- banks


def test_each_tensor_has_a_bank_of_its_own_while_there_are_banks_enough() -> None:
    tensors = [tensor(f"t{n}", 24, BANKED) for n in range(6)]
    text = [(t,) for t in tensors]
    assert offsets(text, *tensors) == [0, 64, 128, 192, 0, 64]


def test_with_no_bank_left_tensors_are_packed() -> None:
    tensors = [tensor(f"t{n}", 40, BANKED) for n in range(4)]
    small, large = tensor("small", 20, BANKED), tensor("large", 24, BANKED)
    # Behind t3, in its bank, are 24 bytes; small takes the first 20 of them, large those of bank 0.
    assert offsets([(*tensors, small, large)], *tensors, small, large)[4:] == [232, 40]


def test_a_tensor_larger_than_a_bank_begins_at_a_border() -> None:
    small, large = tensor("small", 20, BANKED), tensor("large", 100, BANKED)
    other = tensor("other", 100, BANKED)
    assert offsets([(small, large)], small, large) == [0, 64]
    assert offsets([(other,)], other) == [0]


# -- when going round does not do


def test_what_finds_no_place_is_placed_ahead_of_what_is_smaller() -> None:
    first, long, big = tensor("first", 48), tensor("long", 8), tensor("big", 90)
    # Round the memory long is at 48, in the middle, and there are no 90 bytes beside it.
    assert offsets([(first,), (long,), (big, long)], first, long, big) == [0, 92, 0]


def test_when_size_does_not_decide_what_lives_longest_goes_first() -> None:
    big, long, middle, small = (
        tensor(n, size) for n, size in (("big", 52), ("long", 28), ("middle", 44), ("small", 28))
    )
    # Largest first, big and middle begin at 0 and long at 52: no 28 bytes are left for small.
    text = [(big, long), (big, long), (middle, small, long), (middle, small, long)]
    assert offsets(text, big, long, middle, small) == [28, 0, 28, 72]


# -- tensors that nobody mentions


def test_one_that_nothing_mentions_takes_what_is_left_or_byte_0() -> None:
    a, b = tensor("a", 40), tensor("b", 40)
    unused, more, last = tensor("unused", 40), tensor("more", 8), tensor("last", 12)
    assert offsets([(a,), (b,)], a, b, unused, more, last) == [0, 40, 0, 80, 88]


def test_one_that_is_larger_than_its_memory_is_refused_even_so() -> None:
    assert [p.code for p in refused([[]], [tensor("huge", 104)])] == ["E0311"]


# -- what is mentioned


def test_entries_and_declared_transfers_mention_tensors_too() -> None:
    a, b, c = tensor("a", 4), tensor("b", 4), tensor("c", 4)
    entries = Offsets(View.whole(b), 1, 3)
    gathered = View(a, a.dtype, 0, 0, (128, 4), (1, 1), offsets=entries)
    moved = DeclaredTransfer("moved", ((View.whole(c), gathered),), ())
    assert list(mentioned(gathered)) == [a, b]
    assert list(mentioned((gathered, View.whole(c)))) == [a, b, c]
    assert list(mentioned(moved)) == [c, a, b]
    assert list(mentioned(3)) == []
