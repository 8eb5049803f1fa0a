"""MOP and REPLAY against generators of plain Python, and facts worked by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.front.expanding import ExpandedWord, expand
from nasm.targets.tensix.front.mop import template_0, template_1
from nasm.targets.tensix.state import Coprocessor
from tests.parts import part
from tests.tensix.scalar.cores import made

NOP = 0x02000000
MOP_1 = 0x01800000


def mop_0(count: int, mask: int) -> int:
    return 0x01 << 24 | count << 16 | mask


def replay(index: int, count: int, executes: int = 0, loads: int = 0) -> int:
    return 0x04 << 24 | index << 14 | count << 4 | executes << 1 | loads


def pushed(core: Coprocessor, *words: int, thread: int = 0) -> list[int]:
    """The words that reach the gate."""
    out: list[int] = []
    for word in words:
        made_of = expand(core, thread, word)
        out += [word] if made_of is None else [micro.word for micro in made_of]
    return out


class Model:
    """Both expanders, one word in, a list of words out; states are plain lists."""

    def __init__(self, config: list[int]) -> None:
        self.config, self.high = config, 0
        self.buffer = [0] * 32
        self.load: list[int] = []
        self.runs = False

    def push(self, word: int) -> list[int]:
        return [out for made in self.mop(word) for out in self.replay(made)]

    def mop(self, word: int) -> Iterator[int]:
        opcode = word >> 24
        if opcode == 3:
            self.high = word & 0xFFFF
        elif opcode != 1:
            yield word
        elif word >> 23 & 1:
            yield from self.loops()
        else:
            yield from self.masked((self.high << 16) + (word & 0xFFFF), word >> 16 & 127)

    def masked(self, mask: int, count: int) -> Iterator[int]:
        _, flags, b, a0, a1, a2, a3, s_a0, s_b = self.config
        for _ in range(count + 1):
            yield from {
                (0, 0): [a0],
                (0, 1): [a0, b],
                (0, 2): [a0, a1, a2, a3],
                (0, 3): [a0, a1, a2, a3, b],
                (1, 0): [s_a0],
                (1, 1): [s_a0, s_b],
                (1, 2): [s_a0],
                (1, 3): [s_a0, s_b],
            }[mask & 1, flags & 3]
            mask >>= 1

    def loops(self) -> Iterator[int]:
        outer, inner = self.config[0] & 127, self.config[1] & 127
        start, end0, end1, loop, loop1, last0, last1 = self.config[2:]
        flip = 0
        if loop1 >> 24 != 2:
            flip = loop ^ loop1
            inner *= 2
        if outer == 1 and start >> 24 == 2 and inner == 0 and end0 >> 24 != 2:
            outer += 128
        for j in range(outer):
            if start >> 24 != 2:
                yield start
            for i in range(inner):
                if i < inner - 1:
                    yield loop
                elif j < outer - 1:
                    yield last1
                else:
                    yield last0
                loop ^= flip
            if end0 >> 24 != 2:
                yield end0
                if end1 >> 24 != 2:
                    yield end1

    def replay(self, word: int) -> Iterator[int]:
        if self.load:
            self.buffer[self.load.pop(0)] = word
            if self.runs:
                yield word
        elif word >> 24 == 4:
            index, count = word >> 14 & 31, word >> 4 & 63
            places = [(index + i) % 32 for i in range(count or 64)]
            if word & 1:
                self.load, self.runs = places, bool(word & 2)
            else:
                yield from [self.buffer[place] for place in places]
        else:
            yield word


def drawn(draw: random.Random) -> int:
    """A word that no expander takes, NOP among them."""
    if draw.random() < 0.2:
        return NOP | draw.getrandbits(24)
    return draw.choice((0x26, 0x60, 0x84, 0xA2)) << 24 | draw.getrandbits(24)


def test_random_streams_expand_as_the_model_does() -> None:
    draw = random.Random(14)
    words = 0
    for _ in part(range(1500), 110):
        core, thread = made(), draw.randrange(3)
        config = [draw.choice((0, 1, 1, 2, 3, 5, 129)), draw.randrange(5)]
        config += [drawn(draw) for _ in range(7)]
        for i in range(2, 9):
            if draw.random() < 0.1:
                config[i] = replay(draw.randrange(32), draw.randrange(64))
        core.threads[thread].mop[:] = config
        model = Model(config)
        for _ in range(12):
            word = draw.choice(
                (
                    drawn(draw),
                    MOP_1,
                    mop_0(draw.randrange(20), draw.getrandbits(16)),
                    mop_0(127, 0xFFFF),
                    0x03 << 24 | draw.getrandbits(16),
                    replay(draw.randrange(32), draw.choice((1, 2, 3, 5, 40)), draw.randrange(2), 1),
                    replay(draw.randrange(32), draw.choice((0, 1, 7, 32, 63))),
                )
            )
            wanted = model.push(word)
            if any(out >> 24 == 4 for out in wanted):
                with pytest.raises(Refused, match="REPLAY reaches the wait gate"):
                    pushed(core, word, thread=thread)
                break
            assert pushed(core, word, thread=thread) == wanted
            assert core.threads[thread].replay.tolist() == model.buffer
            words += len(wanted)
    assert words > 100_000


def test_a_skip_is_made_once_whatever_the_flags() -> None:
    config = [0, 3, 0xB, 0xA0, 0xA1, 0xA2, 0xA3, 0x5A, 0x5B]
    names = [slot.name for slot in template_0(config, 0b01, 1)]
    assert names == ["SkipA0", "SkipB", "A0", "A1", "A2", "A3", "B"]
    config[1] = 2
    assert [slot.name for slot in template_0(config, 0b1, 0)] == ["SkipA0"]


def test_the_mask_has_its_high_half_from_mop_cfg_for_good() -> None:
    core = made()
    core.threads[0].mop[3], core.threads[0].mop[7] = 0x60000001, 0x60000002
    mask = pushed(core, 0x03 << 24 | 0x8000, mop_0(31, 1), mop_0(31, 0))
    assert [word & 1 for word in mask] == [0] + [1] * 30 + [0] + [1] * 31 + [0]
    assert core.threads[1].mop_mask_high == 0


def test_the_mask_is_over_after_32_rounds() -> None:
    core = made()
    core.threads[0].mop[3], core.threads[0].mop[7] = 0x60000001, 0x60000002
    out = pushed(core, 0x03FFFFFF, mop_0(127, 0xFFFF))
    assert out == [0x60000002] * 32 + [0x60000001] * 96


def test_two_loop_words_double_the_rounds_and_the_last_replaces_one() -> None:
    config = [2, 2, NOP, NOP, 0x60000009, 0x60000001, 0x60000002, 0x60000003, 0x60000004]
    names = [slot.name for slot in template_1(config)]
    once = ["LoopOp", "LoopOp1", "LoopOp"]
    assert names == [*once, "Loop1Last", *once, "Loop0Last"]


def test_a_second_end_needs_the_first() -> None:
    config = [1, 0, 0x60000000, NOP, 0x60000001, NOP, NOP, NOP, NOP]
    assert [slot.name for slot in template_1(config)] == ["StartOp"]
    config[3] = 0x60000002
    assert [slot.name for slot in template_1(config)] == ["StartOp", "EndOp0", "EndOp1"]


def test_other_nops_are_no_absence() -> None:
    config = [1, 0, 0x60000000, NOP, NOP, NOP, NOP, NOP, NOP]
    assert len([*template_1(config)]) == 1
    config[2] = 0x8F000000
    assert len([*template_1(config)]) == 1
    config[2] = NOP | 0xFFFFFF
    assert not [*template_1(config)]


def test_one_outer_round_of_nothing_but_its_end_is_129() -> None:
    config = [1, 0, NOP, 0x60000000, NOP, NOP, NOP, NOP, NOP]
    assert len([*template_1(config)]) == 129
    assert len([*template_1(config, outer_bug=False)]) == 1
    assert len([*template_1([2, *config[1:]])]) == 2
    core = made()
    core.threads[0].mop[:] = config
    assert len(expand(core, 0, MOP_1) or ()) == 129
    assert len(expand(core, 0, MOP_1, outer_bug=False) or ()) == 1


def test_the_longest_expansion() -> None:
    """127 outer rounds of 127 * 2 inner ones with a start and two ends: 127 * 257."""
    config = [127, 127] + [0x60000000] * 7
    config[2] = 0x60000001
    assert len([*template_1(config)]) == 127 * (1 + 254 + 2) == 32639


def test_a_count_of_0_is_64_and_wraps_twice() -> None:
    core = made()
    core.threads[0].replay[:] = [0x60000000 + i for i in range(32)]
    out = expand(core, 0, replay(30, 0))
    assert out is not None
    assert [micro.played for micro in out] == [(30 + i) % 32 for i in range(64)]
    assert [micro.word & 0xFF for micro in out[:4]] == [30, 31, 0, 1]


def test_what_is_recorded_runs_only_if_reported_so() -> None:
    core = made()
    assert pushed(core, replay(31, 2, loads=1), 0x60000001, 0x60000002, 0x60000003) == [0x60000003]
    assert core.threads[0].replay[[31, 0]].tolist() == [0x60000001, 0x60000002]
    assert pushed(core, replay(0, 1, 1, 1), 0x60000004, 0x60000005) == [0x60000004, 0x60000005]
    assert pushed(core, replay(31, 2)) == [0x60000001, 0x60000004]


def test_a_word_that_runs_as_it_is_recorded_is_for_itself() -> None:
    core = made()
    assert expand(core, 0, replay(0, 1, 1, 1)) == ()
    assert expand(core, 0, 0x60000004) is None
    assert core.threads[0].replay[0] == 0x60000004


def test_a_mop_records_and_plays() -> None:
    core = made()
    core.threads[2].mop[:] = [2, 1, replay(4, 1, 0, 1), NOP, NOP, NOP, NOP, 0x60000007, 0x60000008]
    assert pushed(core, MOP_1, thread=2) == []
    assert core.threads[2].replay[4] == 0x60000007
    core.threads[2].mop[2] = replay(3, 2)
    core.threads[2].replay[3] = 0x60000003
    assert expand(core, 2, MOP_1) == (
        ExpandedWord(0x60000003, "StartOp", 3),
        ExpandedWord(0x60000007, "StartOp", 4),
        ExpandedWord(0x60000008, "Loop1Last"),
        ExpandedWord(0x60000003, "StartOp", 3),
        ExpandedWord(0x60000007, "StartOp", 4),
        ExpandedWord(0x60000007, "Loop0Last"),
    )


def test_origins_read_as_they_are() -> None:
    assert ExpandedWord(0, "LoopOp", 12).origin == "LoopOp replay 12"
    assert ExpandedWord(0, "", 0).origin == "replay 0"
    assert ExpandedWord(0, "SkipA0").origin == "SkipA0"


def test_a_recorded_word_is_not_played_by_the_expansion_before() -> None:
    """Expansions are kept; a buffer or a configuration that changed makes others."""
    core = made()
    own = core.threads[0]
    own.mop[:] = [1, 1, replay(0, 1), NOP, NOP, NOP, NOP, 0x60000000, NOP]
    own.replay[0] = 0x60000001
    assert pushed(core, MOP_1) == [0x60000001, 0x60000000]
    own.replay[0] = 0x60000002
    assert pushed(core, MOP_1) == [0x60000002, 0x60000000]
    own.mop[7] = 0x60000003
    assert pushed(core, MOP_1) == [0x60000002, 0x60000003]


@pytest.mark.parametrize(
    ("slot", "name"), [(MOP_1, "MOP"), (0x03000000, "MOP_CFG"), (replay(0, 1), "REPLAY")]
)
def test_what_an_expander_should_have_taken_is_refused_behind_it(slot: int, name: str) -> None:
    core = made()
    core.threads[0].replay[0] = slot
    with pytest.raises(Refused, match=f"{name} reaches the wait gate"):
        expand(core, 0, replay(0, 1))
