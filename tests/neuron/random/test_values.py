"""Random numbers: the generators against what is known of them, and what the rows do with them."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.targets.neuron import prng
from nasm.targets.neuron.prng import Lfsr, Xorwow
from tests.neuron.programs import cost, fault, ran, result, sbuf
from tests.neuron.random import model
from tests.tables import each

MARSAGLIA = [123456789, 362436069, 521288629, 88675123, 5783321, 6615241]
"""The seeds of xorwow in the paper that made it ("Xorshift RNGs", 2003), and d."""

FIRST = [246875399, 3690007200, 1264581005, 3906711041, 1866187943, 2481925219]
"""What its C program prints."""


# -- the generators


def test_xorwow_gives_marsaglias_numbers() -> None:
    words = np.tile(np.array(MARSAGLIA, np.uint32), (2, 1))
    drawn, _ = Xorwow.unseeded(1).seeded(3, words).draw(3, 2, 6)
    assert drawn.tolist() == [FIRST, FIRST]


def test_four_streams_take_turns() -> None:
    words = np.array([MARSAGLIA * 2 + [0] * 12], np.uint32)
    drawn, _ = Xorwow.unseeded(4).seeded(0, words).draw(0, 1, 8)
    assert drawn.tolist() == [
        [FIRST[0], FIRST[0], 362437, 362437, FIRST[1], FIRST[1], 2 * 362437, 2 * 362437]
    ]


def test_a_step_of_the_lfsr_by_hand() -> None:
    # 1 drops a one: bits 31, 21, 1 and 0 are set. Thirty-one more steps are the model's.
    lane = model.Lfsr(0, 0)
    lane.state = 1
    (word,) = lane.round()
    drawn, after = Lfsr(np.ones(128, np.uint32)).draw(5, 1, 1)
    assert drawn.tolist() == [[word]]
    assert (after.states[5], after.states[4]) == (word, 1)


def test_the_lfsr_comes_around_after_all_states_but_zero() -> None:
    # As a matrix over two elements: its order is 2**32 - 1, and no divisor of that.
    def stepped(state: int) -> int:
        return (state >> 1) ^ (prng.TAPS if state & 1 else 0)

    def image(matrix: list[int], state: int) -> int:
        total = 0
        for bit in range(32):
            total ^= matrix[bit] if state >> bit & 1 else 0
        return total

    def power(matrix: list[int], n: int) -> list[int]:
        result = [1 << bit for bit in range(32)]
        while n:
            if n & 1:
                result = [image(matrix, column) for column in result]
            matrix = [image(matrix, column) for column in matrix]
            n >>= 1
        return result

    step, unit = [stepped(1 << bit) for bit in range(32)], [1 << bit for bit in range(32)]
    assert power(step, 2**32 - 1) == unit
    assert all(power(step, (2**32 - 1) // p) != unit for p in (3, 5, 17, 257, 65537))


@each("count", [1, 31, 32, 33, 64, 65, 511, 512, 513, 1500])
@each("made", [Lfsr.seeded(9), Xorwow.unseeded(1), Xorwow.unseeded(4)])
def test_drawing_many_at_once_is_drawing_them_one_by_one(made: Lfsr | Xorwow, count: int) -> None:
    lane: model.Lane = model.Lfsr(9, 7)
    if isinstance(made, Xorwow):
        lane = model.Xorwow.unseeded(7, 6 * made.states.shape[1])
    drawn, after = made.draw(7, 1, count)
    assert drawn[0].tolist() == model.draw(lane, count)
    again, _ = after.draw(7, 1, 9)
    assert again[0].tolist() == model.draw(lane, 9)


@pytest.mark.parametrize("made", [Lfsr.seeded(1), Xorwow.unseeded(1), Xorwow.unseeded(4)])
def test_the_numbers_look_random(made: Lfsr | Xorwow) -> None:
    """Loose bounds, of six standard deviations and more, on a fixed draw."""
    words, _ = made.draw(0, 128, 512)
    bits = np.unpackbits(words.view(np.uint8), bitorder="little").reshape(-1, 32)
    spread = 0.5 / np.sqrt(len(bits))
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 6 * spread
    high, low = words >> 16, words & 0xFFFF
    for a, b in ((words[:, :-1], words[:, 1:]), (words[:-1], words[1:]), (high, low)):
        assert abs(np.corrcoef(a.reshape(-1), b.reshape(-1))[0, 1]) < 6 / np.sqrt(a.size)
    counts = np.bincount((words & 255).reshape(-1), minlength=256)
    assert ((counts - 256) ** 2 / 256).sum() < 255 + 8 * np.sqrt(2 * 255)
    assert len(np.unique(words)) > 0.999 * words.size


# -- what a run begins with, and what it keeps


def test_a_run_begins_as_after_seed_0_with_an_lfsr() -> None:
    fresh = result("@vector Rng c", "trn2", c=sbuf("u32", (4, 8)))
    seeded = result(
        "@vector SetRngSeed s\n@vector Rng c", "trn2", s=sbuf("i32", [[0]]), c=sbuf("u32", (4, 8))
    )
    assert fresh.tolist() == seeded.tolist()
    assert fresh.tolist() == [model.draw(model.Lfsr(0, p), 8) for p in range(4)]


@pytest.mark.parametrize(("engine", "words"), [("gpsimd", 6), ("vector", 24)])
def test_a_run_begins_with_known_words_of_xorwow(engine: str, words: int) -> None:
    lines = f"@{engine} RandGetState s\n@{engine} Rng c"
    done = ran(lines, "trn3", s=sbuf("u32", (128, words)), c=sbuf("u32", (2, 9)))
    lanes = [model.Xorwow.unseeded(p, words) for p in range(128)]
    assert done.read("s").tolist() == [lane.words for lane in lanes]
    assert done.read("c").tolist() == [model.draw(lane, 9) for lane in lanes[:2]]


def test_the_same_seed_gives_the_same_numbers_and_the_stream_goes_on() -> None:
    done = ran(
        "@vector SetRngSeed s\n@vector Rng a\n@vector Rng b\n@vector SetRngSeed s\n@vector Rng c",
        s=sbuf("u32", [[123]]),
        a=sbuf("u32", (2, 5)),
        b=sbuf("u32", (2, 5)),
        c=sbuf("u32", (2, 10)),
    )
    both = np.concatenate([done.read("a"), done.read("b")], axis=1)
    assert both.tolist() == done.read("c").tolist()


def test_engines_have_generators_of_their_own_and_lanes_streams_of_their_own() -> None:
    both = "@gpsimd Rng a\n@vector Rng b\n@vector Rng c"
    done = ran(
        both, "trn2", a=sbuf("u32", (4, 4)), b=sbuf("u32", (2, 4), "32:0"), c=sbuf("u32", (4, 4))
    )
    alone = ran("@vector Rng c", "trn2", c=sbuf("u32", (4, 4)))
    assert done.read("c").tolist() == alone.read("c").tolist()
    assert done.read("a")[0].tolist() == model.draw(model.Xorwow.unseeded(0, 6), 4)
    assert done.read("b")[1].tolist() == model.draw(model.Lfsr(0, 33), 4)


def test_a_saved_state_goes_on_where_it_was() -> None:
    done = ran(
        "@gpsimd Rng a\n@gpsimd RandGetState s\n@gpsimd Rng b\n@gpsimd RandSetState s\n"
        "@gpsimd Rng c",
        "trn2",
        a=sbuf("u8", (128, 7)),
        s=sbuf("u32", (128, 6)),
        b=sbuf("u32", (128, 7)),
        c=sbuf("u32", (128, 7)),
    )
    assert done.read("b").tolist() == done.read("c").tolist()


def test_narrow_dtypes_keep_the_low_bits() -> None:
    words = result("@vector Rng c", c=sbuf("u32", (1, 6)))
    assert result("@vector Rng c", c=sbuf("u16", (1, 6))).tolist() == (words & 0xFFFF).tolist()
    bytes_ = result("@vector Rng c", c=sbuf("i8", (1, 6)))
    assert bytes_.tolist() == (words & 0xFF).astype(np.uint8).view(np.int8).tolist()


# -- Dropout, Rand2


def test_the_published_dropouts_drop_and_keep() -> None:
    # nki/test/test_nki_isa_dropout.py, whose simulator drops nothing: the share is what is stated
    a = sbuf("f32", np.random.default_rng(0).random((128, 512)) * 100 + 1)
    tiles = {"a": a, "c": sbuf("f32", (128, 512))}
    assert a.values is not None
    dropped = result("@vector Dropout c, a, 0.2", **tiles)
    share = (dropped == 0).mean()
    assert abs(share - 0.2) < 6 * np.sqrt(0.2 * 0.8 / dropped.size)
    assert (dropped[dropped != 0] == a.values[dropped != 0]).all()
    each = np.linspace(0, 1, 128, dtype=np.float32).reshape(128, 1)
    by_lane = result("@vector Dropout c, a, b", b=sbuf("f32", each), **tiles)
    assert np.abs((by_lane == 0).mean(axis=1) - each[:, 0]).max() < 6 * 0.5 / np.sqrt(512)


def test_probabilities_of_0_and_1_are_certain() -> None:
    a, c = sbuf("i32", [[2**24 + 1, -1, 7]] * 2), sbuf("i32", (2, 3))
    assert a.values is not None
    assert result("@vector Dropout c, a, 0.0", a=a, c=c).tolist() == a.values.tolist()
    assert not result("@vector Dropout c, a, 1.0", a=a, c=c).any()
    kept = "@vector Dropout c, a, 1.0, threshold_type=keep_rate"
    assert result(kept, a=a, c=c).tolist() == a.values.tolist()


def test_rand2_by_hand() -> None:
    words = np.tile(np.array(MARSAGLIA, np.uint32), (1, 4))
    lines = "@vector RandSetState s\n@vector Rand2 c, -1.0, 3.0"
    got = result(lines, "trn3", s=sbuf("u32", words), c=sbuf("f32", (1, 5)))
    # 246875399 >> 8 = 964357 and 3690007200 >> 8 = 14414090, of 2**24, times 4, less 1: exact
    assert got.tolist() == [[964357 / 2**22 - 1] * 4 + [14414090 / 2**22 - 1]]


def test_rand2_spreads_over_its_range() -> None:
    got = result("@vector Rand2 c, 10.0, 20.0", "trn3", c=sbuf("f32", (128, 128)))
    assert got.min() >= 10
    assert got.max() <= 20
    assert np.abs(np.histogram(got, 10, (10, 20))[0] / got.size - 0.1).max() < 6 * np.sqrt(
        0.09 / got.size
    )


def test_a_column_of_bounds_is_checked_when_it_is_read() -> None:
    for low, high in (([0.0, 2.0], [1.0, 2.0]), ([0.0, np.nan], [1.0, 2.0])):
        problem = fault(
            "@vector Rand2 c, low, high",
            "trn3",
            c=sbuf("f32", (2, 4)),
            low=sbuf("f32", np.array(low)[:, None]),
            high=sbuf("f32", np.array(high)[:, None]),
        )
        assert problem.code == "E0407"
        assert "min is not less than max" in problem.message


@pytest.mark.parametrize(
    ("line", "on", "plain"),
    [
        ("@vector Dropout c[:, ::4], a, 0.5", "trn1", 512),
        ("@vector Rng c[:, ::4]", "trn2", 512),
        ("@vector Rng c[:, ::4]", "trn3", 128),
        ("@gpsimd Rng c[:, ::4]", "trn2", 150 + 512),
    ],
)
def test_elements_16_bytes_apart_come_at_half_the_rate(line: str, on: str, plain: int) -> None:
    tiles = {"a": sbuf("i32", (4, 512)), "c": sbuf("i32", (4, 2048))}
    slots = 2 * plain if "@vector" in line else 2 * plain - 150
    assert cost(line.replace("c[:, ::4]", "c[:, :512]"), on, **tiles).interval == plain
    assert cost(line, on, **tiles).interval == slots
