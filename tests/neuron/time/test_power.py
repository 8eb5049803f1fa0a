"""Tensor after a pause: half its rate for 3 µs, and again after less than half of 3 µs at work."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from nasm.isa.evidence import Evidence, Fact
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.paces import Power
from tests.neuron.programs import cost, psum, ran, sbuf, times
from tests.parts import part

# v3: 4.8 ticks a ns, so 3 µs are 14,400; two ticks per cycle of Tensor. A matmul of 512 columns
# takes 512 + 10 cycles, 1,044 ticks, and 2,088 at half the rate.
WINDOW, FAST, SLOW = 14_400, 1_044, 2_088
TILES = {"a": sbuf("bf16", [[1.0] * 512] * 128), "acc": psum("f32", (128, 512))}
MATMUL = "MultiplyMoving acc, a\n"


def starts(lines: str, on: str = "trn2", **options: object) -> list[int]:
    """When the matmuls start, from the first on."""
    done = ran("@tensor\nLoadStationary a[:, 0:128]\n" + lines, on, options, **TILES)
    found = [start for start, _ in times(done, "tensor")][1:]
    return [start - found[0] for start in found]


def test_matmuls_after_a_pause_take_twice_as_long_for_3_microseconds() -> None:
    found = starts(MATMUL * 20)
    # Seven start within 3 µs, the last of them 12,528 ticks after the first.
    assert found == [SLOW * n for n in range(8)] + [7 * SLOW + FAST * n for n in range(1, 13)]
    # On v4, of half as many ticks, just the same.
    assert starts(MATMUL * 20, "trn3") == [tick // 2 for tick in found]


def test_their_results_are_as_much_later() -> None:
    done = ran("@tensor\nLoadStationary a[:, 0:128]\n" + MATMUL * 20, "trn2", **TILES)
    latencies = [finish - start for start, finish in times(done, "tensor")][1:]
    # 165 ns are 396 cycles.
    assert latencies == [SLOW + 792] * 7 + [FAST + 792] * 13


def test_it_can_be_switched_off_and_v2_has_none() -> None:
    assert starts(MATMUL * 20, power_ramp="off") == [FAST * n for n in range(20)]
    assert starts(MATMUL * 20, "trn1") == [1024 * n for n in range(20)]


def test_few_rows_and_a_pause_are_not_both_counted() -> None:
    tiles = TILES | {"b": sbuf("bf16", [[1.0] * 512] * 64)}
    lines = "@tensor\nLoadStationary b[:, 0:128]\n" + "MultiplyMoving acc, b\n" * 20
    done = ran(lines, "trn2", **tiles)
    found = [start for start, _ in times(done, "tensor")][1:]
    assert {after - before for before, after in pairwise(found)} == {SLOW}


# A pause: Tensor waits for register moves of another engine, each 68 ns, 82 cycles of Sync.


def paused(moves: int) -> list[int]:
    """Starts of matmuls: 14 of them, and another six when Sync has made its moves."""
    lines = (
        ".sem warm, go\n@tensor\nLoadStationary a[:, 0:128]\n"
        + MATMUL * 13
        + "MultiplyMoving acc, a $warm++\n@sync\nEventSemaphore $warm >= 1\n"
        + "RegisterMove %r0, 1\n" * moves
        + "EventSemaphore $go++\n@tensor\nMultiplyMoving acc, a $go >= 1\n"
        + MATMUL * 5
    )
    done = ran(lines, "trn2", **TILES)
    return [start for start, _ in times(done, "tensor")][1:]


def test_a_short_pause_leaves_it_at_its_full_rate() -> None:
    found = paused(18)
    pause = found[14] - (found[13] + FAST)
    assert 0 < pause < WINDOW / 2
    assert [after - before for before, after in pairwise(found[14:])] == [FAST] * 5


def test_a_pause_of_more_than_half_of_3_microseconds_slows_it_down_again() -> None:
    found = paused(22)
    pause = found[14] - (found[13] + FAST)
    assert WINDOW / 2 < pause < WINDOW
    assert [after - before for before, after in pairwise(found[14:])] == [SLOW] * 5


def test_less_than_half_means_less() -> None:
    power = Power(next(g for g in TARGET.generations if g.name == "v3"))
    key = 100
    power.at(key, 0, 1_000, 0)
    # In the slow time everything is slow; behind it the last 14,400 ticks count.
    assert power.at(key, 14_399, 7_000, 0) == (7_200, 200)
    assert power.at(key, 14_399 + 14_400, 1, 0) == (1, 0)  # 7,200 of them at work: just half
    power = Power(next(g for g in TARGET.generations if g.name == "v3"))
    power.at(key, 0, 1_000, 0)
    power.at(key, 14_399, 6_999, 0)
    assert power.at(key, 14_399 + 14_400, 1, 0) == (201, 200)


class Plain:
    """The rule with the array's work as a set of ticks."""

    def __init__(self, window: int) -> None:
        self.window, self.until = window, 0
        self.ticks: set[int] = set()

    def interval(self, key: int, now: int, interval: int) -> int:
        last = sum(tick in self.ticks for tick in range(now - self.window, now))
        if now >= self.until and 2 * last < self.window:
            self.until = now + self.window
        if now < self.until:
            interval += 2 * key
        self.ticks.update(range(now, now + interval))
        return interval


@pytest.mark.parametrize("seed", part(range(20), 5))
def test_any_starts_pace_the_array_as_its_work_tick_by_tick_does(seed: int) -> None:
    v3 = next(g for g in TARGET.generations if g.name == "v3")
    short = Fact(100 / 4.8, Evidence.ASSUMED, "a test")
    generation = replace(v3, numbers={**v3.numbers, "ramp_ns": short})
    chance = random.Random(seed)
    power, plain, now = Power(generation), Plain(100), 0
    rates = set()
    for _ in range(400):
        # Tiles of the array run side by side: a start may come before the last one is through.
        now += chance.choice((0, 1, 5, 10, 20, 20, 60, 120))
        key, interval = chance.randrange(1, 12), chance.choice((1, 5, 20, 40))
        saved = power.save()
        found = power.at(key, now, interval, 0)
        assert found[0] == plain.interval(key, now, interval)
        rates.add(found[1] > 0)
        power.restore(saved)
        assert power.at(key, now, interval, 0) == found
    assert rates == {False, True}


def test_the_cost_of_a_matmul_is_at_the_full_rate() -> None:
    tiles = {"a": sbuf("bf16", (128, 512)), "acc": psum("f32", (128, 512))}
    for on, key in (("trn1", None), ("trn2", 522), ("trn3", 522)):
        found = cost("@tensor MultiplyMoving acc, a", on, **tiles)
        assert (found.pace, found.key) == (("power", key) if key else ("", None))
