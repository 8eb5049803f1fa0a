"""GpSimd's own instructions: worked by hand, and the vendor's published examples."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nasm.apps.cli import main
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.targets import TARGETS
from tests.neuron.programs import cost, fault, hazards, ran, refused, result, same, sbuf, session

LEAST = -3.4028234663852886e38
"""The lowest float32, which the vendor's masks are filled with."""


# -- Iota


def test_the_published_iotas() -> None:
    # nki/test/test_nki_isa_iota.py, examples 1 to 5, in their order
    done = ran(
        "@gpsimd Iota a, [[1, 512]]\n"
        "@gpsimd Iota b, [[0, 1]], channel_multiplier=1\n"
        "@gpsimd Iota c, [[-1, 512]]\n"
        "@gpsimd Iota d, [[0, 1]], offset=5, channel_multiplier=2\n"
        "@gpsimd Iota e, [[1, 512]], channel_multiplier=1\n",
        a=sbuf("i32", (1, 512)),
        b=sbuf("i32", (128, 1)),
        c=sbuf("i32", (1, 512)),
        d=sbuf("i32", (128, 1)),
        e=sbuf("i32", (128, 512)),
    )
    assert done.read("a").tolist() == [list(range(512))]
    assert done.read("b").tolist() == [[p] for p in range(128)]
    assert done.read("c").tolist() == [list(range(0, -512, -1))]
    assert done.read("d").tolist() == [[n] for n in range(5, 260, 2)]
    assert done.read("e").tolist() == [list(range(p, p + 512)) for p in range(128)]


def test_the_first_pair_of_a_pattern_is_the_slowest() -> None:
    assert result("@gpsimd Iota c, [[10, 2], [1, 3]]", c=sbuf("i32", (1, 2, 3))).tolist() == [
        [[0, 1, 2], [10, 11, 12]]
    ]


def test_partitions_count_from_the_first_of_dst() -> None:
    c = sbuf("i32", (34, 1), "64:0")
    assert result("@gpsimd Iota c, [[0, 1]], channel_multiplier=3", c=c)[-1].tolist() == [99]


def test_the_index_wraps_in_32_bits_and_saturates_where_dst_is_narrower() -> None:
    lines = "@gpsimd Iota c, [[1, 3]], offset=2147483646"
    assert result(lines, c=sbuf("i32", (1, 3))).tolist() == [[2**31 - 2, 2**31 - 1, -(2**31)]]
    assert result(lines, c=sbuf("i8", (1, 3))).tolist() == [[127, 127, -128]]
    assert result(lines, c=sbuf("u32", (1, 3))).tolist() == [[2**31 - 2, 2**31 - 1, 0]]
    assert result(lines, c=sbuf("f32", (1, 3))).tolist() == [[2.0**31, 2.0**31, -(2.0**31)]]


def test_an_offset_may_be_in_a_register() -> None:
    lines = "@gpsimd RegisterMove %r0, -7\n@gpsimd Iota c, [[2, 2]], offset=%r0"
    assert result(lines, c=sbuf("i16", (1, 2))).tolist() == [[-7, -5]]


@pytest.mark.parametrize(
    "line",
    [
        "Iota c, [[1, 4]], offset={}",
        "AffineSelect c, c, [[1, 4]], 1, 0.0, offset={}",
        "NonzeroWithCount d, c, index_offset={}",
        "NonzeroWithCount d, c, padding_val={}",
    ],
)
def test_numbers_are_int32(line: str) -> None:
    tiles = {"c": sbuf("i32", (1, 4)), "d": sbuf("i32", (1, 5))}
    for value in (2**31, -(2**31) - 1):
        (problem,) = refused(f"@gpsimd {line.format(value)}", "trn2", **tiles)
        assert problem.code == "E0301"


def test_iota_takes_150_cycles_and_one_for_each_element() -> None:
    assert cost("@gpsimd Iota c, [[1, 512]]", c=sbuf("i32", (1, 512))).interval == 662
    # Every fourth int32 is 16 bytes from the last: half the rate of its port.
    assert cost("@gpsimd Iota c[:, ::4], [[1, 64]]", c=sbuf("i32", (1, 256))).interval == 278


# -- AffineSelect


def test_the_published_affine_select_masks_the_upper_triangle() -> None:
    # nki/test/test_nki_isa_affine_select.py: kept where iy < ix, that is p - x > 0
    a = np.random.default_rng(0).random((128, 128), np.float32) * 100
    want = a.copy()
    want[np.triu_indices_from(want)] = LEAST
    lines = f"@gpsimd AffineSelect c, a, [[-1, 128]], 1, {LEAST}, cmp_op=greater"
    same(result(lines, a=sbuf("f32", a), c=sbuf("f32", (128, 128))), want)


@pytest.mark.parametrize(
    ("op", "kept"),
    [
        ("equal", [1]),
        ("not_equal", [0, 2]),
        ("greater", [2]),
        ("greater_equal", [1, 2]),
        ("less", [0]),
        ("less_equal", [0, 1]),
    ],
)
def test_every_comparison_is_with_zero(op: str, kept: list[int]) -> None:
    a = sbuf("f32", [[7.0, 8.0, 9.0]])
    lines = f"@gpsimd AffineSelect c, a, [[1, 3]], 0, 0.5, cmp_op={op}, offset=-1"
    want = [v if n in kept else 0.5 for n, v in enumerate([7.0, 8.0, 9.0])]
    assert result(lines, a=a, c=sbuf("f32", (1, 3))).tolist() == [want]


def test_what_is_kept_is_copied_bit_for_bit_between_equal_dtypes() -> None:
    words = [[2**24 + 1, -(2**31), 5]]
    lines = "@gpsimd AffineSelect c, a, [[1, 3]], 0, 2.5, cmp_op=less, offset=-2"
    assert result(lines, a=sbuf("i32", words), c=sbuf("i32", (1, 3))).tolist() == [
        [2**24 + 1, -(2**31), 2]
    ]
    signalling = np.array([[0x7F81, 0xFFC5, 0]], np.uint16)
    a = sbuf("u16", signalling)
    got = result(lines.replace("c, a", "c.view(bf16), a.view(bf16)"), a=a, c=sbuf("u16", (1, 3)))
    assert got.tolist() == [[0x7F81, 0xFFC5, 0x4020]]


def test_the_value_saturates_where_an_option_says_so() -> None:
    text = (
        ".target trn2\n.sbuf c f8[1, 2]\n@gpsimd Memset c, 1.0\n"
        f"@gpsimd AffineSelect c, c, [[1, 2]], 0, {LEAST}\n"
    ).replace("f8", "float8_e4m3")
    for chosen, want in (("infinity", -np.inf), ("saturate", -240.0)):
        made = assemble(Source("x.nasm", text), TARGETS, options={"cast.overflow": chosen})
        done = Session(made)
        done.run()
        assert done.read("c").astype(np.float32).tolist() == [[1.0, want]]


# -- TensorPartitionReduce


def test_the_published_partition_reductions() -> None:
    # nki/test/test_nki_isa_partition_reduce.py, both; close, as NumPy sums in another order
    random = np.random.default_rng(0)
    a = random.random((128, 32, 4), np.float32) * 100
    lines = "@gpsimd TensorPartitionReduce c, a, op=add"
    got = result(lines, a=sbuf("f32", a), c=sbuf("f32", (1, 32, 4)))
    np.testing.assert_allclose(got, a.sum(0, keepdims=True), rtol=1e-5)
    for a in random.random((4, 128, 32, 8), np.float32) * 100:
        got = result(lines, a=sbuf("f32", a), c=sbuf("f32", (1, 32, 8)))
        np.testing.assert_allclose(got, a.sum(0, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize(
    ("op", "want"),
    [("add", 10), ("average", 3), ("maximum", 6), ("bitwise_or", 7), ("bitwise_and", 0)],
)
def test_every_operator_across_partitions(op: str, want: int) -> None:
    # 3 + 1 + 6 = 10, / 3 = 3.33; 0b011 | 0b001 | 0b110
    lines = f"@gpsimd TensorPartitionReduce c, a, op={op}"
    assert result(lines, a=sbuf("i32", [[3], [1], [6]]), c=sbuf("i32", (1, 1))).tolist() == [[want]]


def test_sums_over_partitions_are_sequential_in_float32_also_of_integers() -> None:
    a = sbuf("i32", [[2**24], [1], [1]])
    lines = "@gpsimd TensorPartitionReduce c, a, op=add"
    assert result(lines, a=a, c=sbuf("i32", (1, 1))).tolist() == [[2**24]]


# -- SequenceBounds, NonzeroWithCount


@pytest.mark.parametrize("dtype", ["i32", "f32"])
def test_the_published_sequence_bounds(dtype: str) -> None:
    # nki/test/test_nki_isa_sequence_bounds.py, the example in its comment
    ids = sbuf(dtype, [[0, 1, 1, 2, 2, 2, 0, 3, 3]])
    got = result("@gpsimd SequenceBounds c, a", a=ids, c=sbuf(dtype, (1, 2, 9)))
    assert got.tolist() == [[[9, 1, 1, 3, 3, 3, 9, 7, 7], [-1, 3, 3, 6, 6, 6, -1, 9, 9]]]


def test_the_published_sorted_segments() -> None:
    # the same file, its test: sorted ids, and the loops it checks against, shortened
    ids = np.sort(np.random.RandomState(0).randint(0, 32, 32))
    starts = [32 if i == 0 else int(np.argmax(ids == i)) for i in ids]
    ends = [-1 if i == 0 else 32 - int(np.argmax(ids[::-1] == i)) for i in ids]
    got = result("@gpsimd SequenceBounds c, a", a=sbuf("f32", [ids]), c=sbuf("f32", (1, 2, 32)))
    assert got.tolist() == [[starts, ends]]


def test_an_id_that_comes_again_begins_a_new_run() -> None:
    got = result(
        "@gpsimd SequenceBounds c, a", a=sbuf("i32", [[5, 5, 1, 5]]), c=sbuf("i32", (1, 2, 4))
    )
    assert got.tolist() == [[[0, 0, 2, 3], [2, 2, 3, 4]]]


@pytest.mark.parametrize("ids", [[0, 1, -1], [0.5, 1, 1], [1, np.nan, 1], [np.inf, 1, 1]])
def test_what_is_no_segment_id_is_refused(ids: list[float]) -> None:
    # "All segment IDs must be non-negative integers."
    problem = fault("@gpsimd SequenceBounds c, a", a=sbuf("f32", [ids]), c=sbuf("f32", (1, 2, 3)))
    assert problem.code == "E0701"
    assert "is not an integer of 0 or more" in problem.message


def test_the_published_nonzero_with_count() -> None:
    # nki.isa.nonzero_with_count, the example of its page
    lines = "@gpsimd NonzeroWithCount c, a, index_offset=16, padding_val=-1"
    got = result(lines, "trn2", a=sbuf("f32", [[0, 1, 1, 0, 0, 1, 0, 0]]), c=sbuf("i32", (1, 9)))
    assert got.tolist() == [[17, 18, 21, -1, -1, -1, -1, -1, 3]]


def test_a_core_reads_and_writes_its_first_partition_only() -> None:
    a, before = np.ones((33, 2), np.int32), np.full((33, 3), 7, np.int32)
    lines = "@gpsimd NonzeroWithCount c, a"
    got = result(lines, "trn2", a=sbuf("i32", a), c=sbuf("i32", before))
    assert [p for p in range(33) if got[p].tolist() == [0, 1, 2]] == [0, 16, 32]
    assert (np.delete(got, [0, 16, 32], 0) == 7).all()


def test_the_partitions_between_need_not_be_written() -> None:
    first = "@gpsimd Memset a[0:1], 1\n@gpsimd NonzeroWithCount c, a"
    assert hazards(first, "trn2", a=sbuf("i32", (16, 4)), c=sbuf("i32", (16, 5))) == []
    made = session(first, "trn2", a=sbuf("i32", (16, 4)), c=sbuf("i32", (16, 5)))
    made.run()
    assert made.known("c").any(axis=1).tolist() == [True] + 15 * [False]


def test_nan_is_not_zero_and_minus_zero_is() -> None:
    got = result(
        "@gpsimd NonzeroWithCount c, a",
        "trn3",
        a=sbuf("f32", [[np.nan, -0.0, 0.0]]),
        c=sbuf("i32", (1, 4)),
    )
    assert got.tolist() == [[0, -1, -1, 1]]


# -- DevicePrint


def test_a_message_shows_each_dtype_as_itself() -> None:
    done = ran(
        '@gpsimd DevicePrint a, "a is"\n@gpsimd DevicePrint b[1:2]\n@gpsimd DevicePrint w',
        a=sbuf("bf16", [[1.5, -2.0]]),
        b=sbuf("u8", np.arange(80).reshape(2, 40)),
        w=sbuf("i32", np.arange(99).reshape(1, 99)),
    )
    first, second, third = done.messages
    assert first.text == "a is [[1.5 -2.0]]"
    assert second.text.split() == ["[[40", *map(str, range(41, 79)), "79]]"]
    assert third.text == "[[0 1 2 ... 96 97 98]]"


def test_an_unwritten_tile_is_a_hazard_also_when_it_is_only_printed() -> None:
    assert hazards("@gpsimd DevicePrint a", a=sbuf("f32", (1, 2))) == ["E0501"]


def test_messages_are_in_the_report_and_in_its_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "said.nasm"
    path.write_text(
        '.target trn2\n.sbuf a i32[2, 2]\n@gpsimd Memset a, 5\n@gpsimd DevicePrint a, "five:"\n'
    )
    assert main(["run", str(path)]) == 0
    said = capsys.readouterr().out
    assert "gpsimd pc 1 at " in said
    assert ": five:\n    [[5 5]\n     [5 5]]\n" in said
    assert main(["run", str(path), "--json"]) == 0
    (message,) = json.loads(capsys.readouterr().out)["messages"]
    assert message["text"] == "five:\n[[5 5]\n [5 5]]"
    assert (message["engine"], message["pc"], message["line"]) == ("gpsimd", 1, 4)


def test_of_two_cores_a_message_says_which() -> None:
    text = (
        ".target trn2\n.core 0\n.sbuf a u8[1, 1]\n@gpsimd Memset a, 1\n@gpsimd DevicePrint a\n"
        ".core 1\n.sbuf b u8[1, 1]\n@gpsimd Memset b, 2\n@gpsimd DevicePrint b\n"
    )
    done = Session(assemble(Source("x.nasm", text), TARGETS))
    done.run()
    assert [(m.queue, m.text) for m in done.messages] == [
        ("0.gpsimd", "[[1]]"),
        ("1.gpsimd", "[[2]]"),
    ]


def test_cores_have_generators_of_their_own() -> None:
    text = (
        ".target trn2\n.core 0\n.sbuf a u8[1, 9]\n@vector Rng a\n@vector Rng a\n"
        ".core 1\n.sbuf b u8[1, 9]\n@vector Rng b\n@vector Rng b\n"
    )
    done = Session(assemble(Source("x.nasm", text), TARGETS))
    done.run()
    assert done.read("a").tolist() == done.read("b").tolist()


def test_a_register_that_nothing_set_is_reported() -> None:
    assert hazards("@gpsimd Iota c, [[1, 4]], offset=%r9", c=sbuf("i32", (1, 4))) == ["E0505"]


def test_a_pattern_is_a_list_of_pairs() -> None:
    for wrong in (
        "4",
        "[]",
        "[1, 4]",
        "[[1, 4, 2]]",
        "[[1.5, 4]]",
        "[[1, 0]]",
        "[[2**31, 4]]",
        "[[1, 1], [1, 1], [1, 1], [1, 1], [1, 4]]",
    ):
        with pytest.raises(Exception, match="operand pattern of Iota"):
            session(f"@gpsimd Iota c, {wrong}", c=sbuf("i32", (1, 4)))
