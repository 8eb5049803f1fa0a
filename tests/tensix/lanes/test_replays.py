"""Words executed at one go leave everything as it is when each is executed alone."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from nasm.targets.tensix.lanes import replays
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.scheduling import stalls, too_early
from nasm.targets.tensix.lanes.steps import carried, carried_from, steps_by
from nasm.targets.tensix.layouts.wormhole import FIELDS
from nasm.targets.tensix.state import Coprocessor
from tests.parts import part
from tests.tables import each
from tests.tensix.lanes.compare import Flat
from tests.tensix.lanes.compare import words as numbers
from tests.tensix.lanes.programs import (
    NAMES,
    anything,
    difference,
    elsewhere,
    fields_of,
    one_by_one,
    program,
    same,
    word,
)

NOP = word("SFPNOP")
GELU = (
    word("SFPLOAD", VD=3, AddrMod=3),
    word("SFPMUL", VA=3, VB=12, VC=9, VD=7),
    word("SFPLUTFP32", VD=3, Mod1=2),
    NOP,
    word("SFPADD", VA=10, VB=3, VC=7, VD=3),
    NOP,
    word("SFPSTORE", VD=3, AddrMod=2),
)
STORE = word("SFPSTORE", VD=3, AddrMod=3)
STEP = FIELDS["ADDR_MOD_DST_SEC0_DestIncr"].word + 2
"""What rows move by with AddrMod=2."""


@pytest.fixture
def core() -> Coprocessor:
    """All of Dst is defined; AddrMod=2 goes on to the next 32 elements."""
    rng = np.random.default_rng(7)
    made = Coprocessor(Flat())
    made.vector.registers[:8] = numbers(rng, 8, 32)
    made.matrix.dst[...] = rng.integers(0, 1 << 16, (1024, 16))
    made.matrix.defined[...] = True
    made.threads[0].config[STEP] = 2
    return made


@pytest.fixture
def outcomes(monkeypatch: pytest.MonkeyPatch) -> Counter[bool]:
    """How often rounds were evaluated together, and how often that was tried in vain."""
    counts: Counter[bool] = Counter()
    together = replays.execute_batched

    def counted(*args: Any) -> bool:
        done = together(*args)
        counts[done] += 1
        return done

    monkeypatch.setattr(replays, "execute_batched", counted)
    return counts


def check(core: Coprocessor, words: tuple[int, ...], quirks: Quirks = DOCUMENTED) -> bool:
    """Execute words both ways, which is to be the same; whether they were performed."""
    assert replays.fit(words) == len(words)
    before = core.save()
    good = one_by_one(core, words, quirks)
    wanted = core.save()
    core.restore(before)
    assert replays.perform(core, 0, words, quirks) == good
    assert same(core.save(), wanted if good else before)
    return good


@pytest.mark.parametrize("seed", part(range(8), 1))
def test_random_programs_are_as_one_by_one(seed: int, outcomes: Counter[bool]) -> None:
    found = (difference(np.random.default_rng((seed, n))) for n in range(30))
    assert not [said for said in found if said]
    assert min(outcomes[True], outcomes[False]) > 1


def test_rounds_that_do_not_need_each_other_are_evaluated_together(
    core: Coprocessor, outcomes: Counter[bool]
) -> None:
    assert check(core, GELU * 32)
    assert outcomes == {True: 1}


def test_rounds_are_found_between_other_words_and_from_within_a_round(
    core: Coprocessor, outcomes: Counter[bool]
) -> None:
    assert check(core, (word("SFPLOADI", VD=1, Imm16=5), *GELU[5:], *GELU * 8, *GELU[:2], NOP))
    assert outcomes == {True: 1}


def test_rounds_that_differ_in_where_they_access_dst_are_evaluated_together(
    core: Coprocessor, outcomes: Counter[bool]
) -> None:
    rounds = [elsewhere(one, 2 * n) for n in range(32) for one in (*GELU[:-1], STORE)]
    assert check(core, tuple(rounds))
    assert outcomes == {True: 1}


def test_a_load_of_another_register_is_no_round_as_the_others(
    core: Coprocessor, outcomes: Counter[bool]
) -> None:
    other = (word("SFPLOAD", VD=5, AddrMod=3), *GELU[1:])
    assert check(core, (*GELU * 8, *other, *GELU * 8))
    assert outcomes == {True: 2}


def test_where_rounds_carry_the_least_is_what_each_turn_says() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        words = [one for one in program(rng) if replays.fit((one,))][:12]
        steps = [*map(steps_by(DOCUMENTED), words)]
        turned = [len(carried([*steps[n:], *steps[:n]])) for n in range(len(steps))]
        assert carried_from(steps) == turned


def test_a_sum_over_rounds_is_done_one_by_one(core: Coprocessor, outcomes: Counter[bool]) -> None:
    add = word("SFPADD", VA=10, VB=0, VC=1, VD=1)
    assert check(core, (word("SFPLOAD", VD=0, AddrMod=2), add, NOP) * 16)
    assert not outcomes


def test_rounds_that_read_what_others_write_are_done_one_by_one(
    core: Coprocessor, outcomes: Counter[bool]
) -> None:
    ahead = word("SFPSTORE", VD=3, AddrMod=2, Imm10=2)
    assert check(core, (*GELU[:-1], ahead) * 16)
    assert check(core, (*GELU[:-1], word("SFPSTORE", VD=3)) * 16)
    assert not outcomes


def test_rows_of_32_bits_have_eight_rows_between(
    core: Coprocessor, outcomes: Counter[bool]
) -> None:
    load, store = word("SFPLOAD", VD=0, Mod0=3, AddrMod=3), word("SFPSTORE", Mod0=3, AddrMod=2)
    assert check(core, (load, word("SFPABS", Mod1=1), store) * 32)
    assert outcomes == {True: 1}
    narrow = word("SFPLOAD", VD=0, Mod0=2, AddrMod=3, Imm10=8)
    assert check(core, (narrow, word("SFPABS", Mod1=1), store) * 32)
    assert outcomes[True] > 2  # in parts: some rounds need what others write


def test_what_the_first_round_changes_for_all_others_is_found(
    core: Coprocessor, outcomes: Counter[bool]
) -> None:
    enable, less = word("SFPENCC", Imm2=3, Mod1=10), word("SFPSETCC", VC=3)
    assert check(core, (GELU[0], enable, less, *GELU[1:]) * 8)
    assert outcomes[False]


def test_lanes_that_a_round_leaves_out_keep_what_the_last_one_wrote(
    core: Coprocessor, outcomes: Counter[bool]
) -> None:
    enable, less = word("SFPENCC", Imm2=3, Mod1=10), word("SFPSETCC", VC=3)
    some = word("SFPMOV", VC=3, VD=5)
    assert check(core, (enable, GELU[0], less, some, enable, word("SFPSTORE", VD=5, AddrMod=2)) * 8)
    assert outcomes == {False: 2}


def test_lanes_that_nothing_reads_keep_what_the_last_round_wrote_that_had_them(
    core: Coprocessor, outcomes: Counter[bool]
) -> None:
    enable, less = word("SFPENCC", Imm2=3, Mod1=10), word("SFPSETCC", VC=3)
    some, store = word("SFPMOV", VC=3, VD=5), word("SFPSTORE", VD=3, AddrMod=2)
    assert check(core, (enable, GELU[0], less, some, enable, store) * 8)
    assert outcomes == {False: 2}
    core.vector.registers[7] = np.arange(32) % 4
    by_l7 = word("SFPADD", VA=10, VB=3, VC=3, VD=6, Mod1=8)
    assert check(core, (enable, GELU[0], by_l7, NOP, store) * 8)
    move = word("SFPMOV", VC=3, VD=7)
    assert check(core, (enable, GELU[0], move, by_l7, NOP, store) * 8)
    assert outcomes[False] == 4


def test_what_the_last_round_rotated_is_shifted_in(core: Coprocessor) -> None:
    shift, rotate = word("SFPSHFT2", VC=3, VD=5, Mod1=4), word("SFPSHFT2", VC=3, VD=6, Mod1=3)
    end = NOP, word("SFPSTORE", VD=5, AddrMod=2)
    assert check(core, (GELU[0], shift, NOP, rotate, *end) * 8)
    assert check(core, (GELU[0], rotate, NOP, shift, *end) * 8)
    assert check(core, (GELU[0], shift, *end) * 8)


@pytest.mark.parametrize(
    ("draws", "quirks"),
    [
        (word("SFPCAST", VC=3, VD=5, Mod1=1), DOCUMENTED),
        (word("SFPMOV", VC=9, VD=5, Mod1=8), DOCUMENTED),
        (word("SFP_STOCH_RND", VC=3, VD=5, StochasticRounding=1), DOCUMENTED),
        (word("SFP_STOCH_RND", VC=3, VD=5), Quirks(rounding_always_draws=True)),
    ],
)
def test_random_numbers_go_on_round_after_round(
    core: Coprocessor, draws: int, quirks: Quirks
) -> None:
    core.vector.random[...] = np.arange(32) * 77777
    assert check(core, (GELU[0], draws, word("SFPSTORE", VD=5, AddrMod=2)) * 8, quirks)


def test_undefined_rows_are_left_to_who_tells_of_them(core: Coprocessor) -> None:
    for row in (0, 40, 63):
        core.matrix.defined[...] = True
        core.matrix.defined[row] = False
        core.threads[0].rows.dst = 0
        assert not check(core, GELU * 32)
        assert check(core, (word("SFPSTORE", Imm10=row & ~3), *GELU * 32))


def test_the_stack_of_flags_has_its_bounds(core: Coprocessor) -> None:
    push, pop, peek = word("SFPPUSHC"), word("SFPPOPC"), word("SFPPOPC", Mod1=3)
    assert check(core, (push,) * 8)
    assert not check(core, (pop, push, push))
    assert not check(core, (peek,))
    assert check(core, (pop, peek, *GELU * 4, push))
    assert check(core, (pop,) * 8)
    assert not check(core, (*GELU * 4, pop))


def test_flags_that_a_round_leaves_on_the_stack_are_those_of_the_last(
    core: Coprocessor, outcomes: Counter[bool]
) -> None:
    enable, less = word("SFPENCC", Imm2=3, Mod1=10), word("SFPSETCC", VC=3)
    push, pop = word("SFPPUSHC"), word("SFPPOPC")
    swapped = enable, GELU[0], pop, enable, less, push, enable, GELU[6]
    assert check(core, (enable, push, *swapped * 8))
    assert outcomes == {False: 2}


def test_what_macros_put_off_and_lane_configuration_are_left_to_others(core: Coprocessor) -> None:
    core.vector.lane_config[3] = 1
    assert not replays.perform(core, 0, GELU)
    core.vector.lane_config[3] = 0
    core.vector.pending = (1,)
    assert not replays.perform(core, 0, GELU)
    core.vector.pending = ()
    assert replays.perform(core, 0, GELU)


@each(
    "bad",
    [
        word("SFPLOADMACRO", Mod0=2),
        word("SFPLOADI", VD=0, Mod0=3),
        word("SFPSWAP", VD=1, Mod1=10),
        word("SFPSHFT2", VD=1, Mod1=7),
        word("SFPCONFIG", VD=15),
        word("SFPCONFIG", VD=8),
        word("SFPCONFIG", VD=0),
        word("SFPSTORE", VD=12),
        word("SFPPUSHC", VD=13),
        word("SFPLUT", VD=12),
        word("SFPMAD", VD=15),
        GELU[4],
    ],
)
def test_words_end_before_what_is_not_to_be_done_at_one_go(bad: int) -> None:
    assert replays.fit((*GELU[:3], bad, *GELU[4:])) == 3


def test_a_run_ends_before_what_comes_too_early() -> None:
    rng = np.random.default_rng(3)
    ended = 0
    for _ in part(range(400), 80):
        pair = tuple(anything(rng, str(rng.choice(NAMES))) for _ in range(2))
        if all(replays.fit((one,)) for one in pair):
            (first, its), (second, fields) = map(fields_of, pair)
            early = any(too_early(first, its, second, fields))
            assert replays.fit(pair) == 2 - early
            ended += early
    assert ended > 2


def test_words_start_one_a_cycle_but_after_an_exchange() -> None:
    swap, move = word("SFPSWAP", VC=0, VD=1), word("SFPMOV", VC=0, VD=2)
    assert replays.starts((move, swap, move, swap, NOP, move)) == (0, 1, 3, 4, 5, 6, 7)
    assert replays.starts(()) == (0,)
    assert replays.starts((swap,)) == (0, 1)
    rng = np.random.default_rng(4)
    for _ in range(20):
        words = program(rng) or (NOP,)
        names = [fields_of(one)[0] for one in words]
        waits = [stalls(*pair) for pair in pairwise(names)]
        assert replays.starts(words)[-1] == len(words) + sum(waits)
