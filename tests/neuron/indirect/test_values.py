"""Operands whose addresses a tile or a register decides, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.views.spelling import spell
from nasm.views.view import View
from tests.neuron import programs
from tests.neuron.programs import Tile, fault, hazards, psum, ran, result, sbuf

ROWS = np.arange(16)[:, None]
A = sbuf("f32", 100 * ROWS + np.arange(40))  # a[p, j] = 100 p + j


def index(*entries: int, dtype: str = "u16", partitions: int = 16) -> Tile:
    """Entry i at row i % 16, column i // 16; every other element is 9."""
    values = np.full((partitions, -(-len(entries) // 16)), 9)
    for i, entry in enumerate(entries):
        values[i % 16, i // 16] = entry
    return sbuf(dtype, values)


def test_a_gather_takes_the_columns_that_the_index_names() -> None:
    got = result(
        "@vector TensorCopy c, a.indirect(i, num_elem=3)",
        "trn3",
        a=A,
        i=index(7, 0, 39),
        c=sbuf("f32", (16, 3)),
    )
    assert got[0].tolist() == [7, 0, 39]
    assert got[15].tolist() == [1507, 1500, 1539]


def test_the_seventeenth_entry_is_the_first_of_the_second_column() -> None:
    got = result(
        "@vector TensorCopy c, a.indirect(i, num_elem=18)",
        "trn3",
        a=A,
        i=index(*range(16), 30, 31),
        c=sbuf("f32", (16, 18)),
    )
    assert got[1].tolist() == [*range(100, 116), 130, 131]


def test_without_num_elem_an_index_of_16_partitions_is_used_up() -> None:
    got = result(
        "@vector TensorCopy c, a.indirect(i)",
        "trn3",
        a=A,
        i=index(*range(32)),
        c=sbuf("f32", (16, 32)),
    )
    assert got[0].tolist() == list(range(32))


def test_rows_of_the_index_beyond_the_sixteenth_name_nothing() -> None:
    wide = sbuf("f32", np.tile(np.arange(4), (128, 1)))
    names = np.zeros((128, 1))
    names[:16, 0] = [3, 2, 1, 0] * 4
    names[16:] = 99  # would lead out of the tensor
    got = result(
        "@vector TensorCopy c, a.indirect(i, num_elem=4)",
        "trn3",
        a=wide,
        i=sbuf("i32", names),
        c=sbuf("f32", (128, 4)),
    )
    assert got[127].tolist() == [3, 2, 1, 0]


def test_tensor_takes_32_entries_of_a_column() -> None:
    a = sbuf("bf16", np.eye(64)[:, :64])
    names = np.zeros((64, 1))
    names[:20, 0] = np.arange(20)[::-1]
    got = result(
        "@tensor LoadStationary a.indirect(i, num_elem=20)\n@tensor MultiplyMoving c, b",
        "trn3",
        a=a,
        i=sbuf("u16", names),
        b=sbuf("bf16", np.arange(64)[:, None]),
        c=psum("f32", (20, 1)),
    )
    assert got[:, 0].tolist() == list(range(20))[::-1]


def test_a_scatter_leaves_the_other_columns_alone() -> None:
    got = result(
        "@vector TensorCopy c.indirect(i, num_elem=2), a[:, :2]",
        "trn3",
        a=A,
        i=index(3, 1),
        c=sbuf("f32", np.full((16, 5), -1)),
    )
    assert got[2].tolist() == [-1, 201, -1, 200, -1]


def test_of_two_values_for_one_column_the_last_stays() -> None:
    got = result(
        "@vector TensorCopy c.indirect(i, num_elem=3), a[:, :3]",
        "trn3",
        a=A,
        i=index(1, 0, 1),
        c=sbuf("f32", np.zeros((16, 2))),
    )
    assert got[0].tolist() == [1, 2]


def test_only_scattered_columns_count_as_written() -> None:
    lines = "@vector TensorCopy c.indirect(i, num_elem=2), a[:, :2]\n@vector TensorCopy d, c[:, {}]"
    tiles = {"a": A, "i": index(3, 1), "c": sbuf("f32", (16, 5)), "d": sbuf("f32", (16, 2))}
    assert hazards(lines.format("1:4:2"), "trn3", **tiles) == []
    assert hazards(lines.format("1:3"), "trn3", **tiles) == ["E0501"]


def test_a_view_of_a_part_counts_columns_from_its_start() -> None:
    got = result(
        "@scalar Activation c, a[:, 8:16].indirect(i, num_elem=2), op=copy, scale=2.0",
        "trn3",
        a=A,
        i=index(0, 7),
        c=sbuf("f32", (16, 2)),
    )
    assert got[0].tolist() == [16, 30]


def test_a_reduction_sums_the_columns_that_were_picked() -> None:
    got = result(
        "@vector TensorReduce c, a.indirect(i, num_elem=3), op=add, axis=1",
        "trn3",
        a=A,
        i=index(1, 1, 5),
        c=sbuf("f32", (16, 1)),
    )
    assert got[:2, 0].tolist() == [7, 307]


def test_a_predicate_and_what_it_lets_through_may_be_indirect() -> None:
    tiles = {
        "a": A,
        "k": sbuf("u8", np.tile([0, 1, 1, 0], (16, 1))),
        "i": index(2, 0, 1),
        "j": index(4, 3, 0),
        "c": sbuf("f32", np.full((16, 5), -1)),
    }
    got = result(
        "@vector CopyPredicated c.indirect(j, num_elem=3), a[:, :3], k.indirect(i, num_elem=3)",
        "trn3",
        **tiles,
    )
    assert got[1].tolist() == [102, -1, -1, -1, 100]


def test_a_view_of_the_run_has_no_place_to_look_at() -> None:
    made = programs.session("@vector Nop", "trn3", a=A, i=index(2))
    for view in ("a.indirect(i, num_elem=1)", "a[:, %r1 : +2]"):
        with pytest.raises(Failure, match="only while an instruction executes"):
            made.read(view)


def test_a_matmul_scatters_and_adds_where_the_index_says() -> None:
    lines = """
    @tensor LoadStationary a
    @tensor MultiplyMoving c, b
    @tensor MultiplyMoving c.indirect(i, num_elem=2), b[:, :2], accumulate=true
    """
    tiles = {
        "a": sbuf("bf16", np.eye(16)),
        "b": sbuf("bf16", np.tile([1, 2, 4], (16, 1))),
        "i": index(2, 0),
        "c": psum("bf16", (16, 3)),
    }
    assert result(lines, "trn3", **tiles)[5].tolist() == [3, 2, 5]
    problem = fault(lines, "trn3", **{**tiles, "i": index(2, 2)})
    assert problem.code == "E0701"
    assert "name one place twice" in problem.message


def test_the_index_is_read_when_the_instruction_starts() -> None:
    lines = """
    @vector Memset i, 1
    @vector TensorCopy c, a.indirect(i, num_elem=2)
    @vector Memset i, 2
    """
    done = ran(lines, "trn3", a=A, i=sbuf("u16", (16, 1)), c=sbuf("f32", (16, 2)))
    assert done.read("c")[0].tolist() == [1, 1]
    (first, second, third) = programs.times(done, "vector")
    assert second[0] == first[1], "it waits for the index, which its own queue writes"
    assert third[0] < second[1], "and holds nobody back after it has read it"


def test_an_index_that_another_engine_is_writing_is_a_race() -> None:
    lines = "@gpsimd Memset i, 1\n@vector Nop\n@vector TensorCopy c, a.indirect(i, num_elem=2)"
    tiles = {"a": A, "i": index(0, 0), "c": sbuf("f32", (16, 2))}
    assert hazards(lines, "trn3", **tiles) == ["E0502"]


def test_entries_and_elements_nothing_wrote_are_reported() -> None:
    lines = "@vector TensorCopy c, a.indirect(i, num_elem=1)"
    tiles = {"a": sbuf("f32", (16, 4)), "i": index(2), "c": sbuf("f32", (16, 1))}
    assert hazards(lines, "trn3", **tiles) == ["E0501"]
    made = programs.session(lines, "trn3", **{**tiles, "a": A, "i": sbuf("u16", (16, 1))})
    report = made.run()
    assert [h.code for h in report.hazards] == ["E0501"]
    assert [p.code for p in report.problems] == ["E0508"], "65535 leads out of the tensor"


@pytest.mark.parametrize("entry", [-1, 40, 2**31 - 1])
def test_an_entry_out_of_bounds_is_a_fault_that_names_it(entry: int) -> None:
    problem = fault(
        "@vector TensorCopy c, a.indirect(i, num_elem=2)",
        "trn3",
        a=A,
        i=index(0, entry, dtype="i32"),
        c=sbuf("f32", (16, 2)),
    )
    assert problem.code == "E0508"
    assert problem.message == f"entry 1 of i is {entry}: a can be addressed with 0 to 39 here"


# ---------------------------------------------------------------- .ap with offsets of the run


def test_a_scalar_offset_moves_a_pattern_along_an_axis() -> None:
    lines = (
        "@vector TensorCopy c, t.ap([[40, 16], [1, 2]], offset=1, scalar_offset=i, indirect_dim=1)"
    )
    tiles = {
        "t": sbuf("f32", A.values.reshape(16, 4, 10)),
        "i": sbuf("i32", [[2]]),
        "c": sbuf("f32", (16, 2)),
    }
    assert result(lines, "trn1", **tiles)[1].tolist() == [121, 122]
    along = lines.replace("indirect_dim=1", "indirect_dim=2")
    assert result(along, "trn1", **tiles)[1].tolist() == [103, 104]
    assert fault(lines, **{**tiles, "i": sbuf("i32", [[4]])}).code == "E0508"


def test_a_register_as_scalar_offset_is_the_same_as_a_window() -> None:
    done = ran(
        """
        @vector RegisterMove %r2, 7
        @vector TensorCopy c, a.ap([[40, 16], [1, 3]], scalar_offset=%r2, indirect_dim=1)
        @vector TensorCopy d, a[:, %r2 : +3]
        """,
        a=A,
        c=sbuf("f32", (16, 3)),
        d=sbuf("f32", (16, 3)),
    )
    assert done.read("c").tolist() == done.read("d").tolist()
    assert done.read("c")[0].tolist() == [7, 8, 9]


def test_a_copy_from_where_the_run_says_takes_600_cycles_at_least() -> None:
    tiles = {"a": A, "i": sbuf("i32", [[2]]), "c": sbuf("f32", (16, 4))}
    moved = "a.ap([[40, 16], [1, 4]], scalar_offset={}, indirect_dim=1)"
    plain = programs.cost("@vector TensorCopy c, a[:, :4]", **tiles)
    assert plain.interval == 64
    for by in ("i", "%r1"):
        line = f"@vector TensorCopy c, {moved.format(by)}"
        assert programs.cost(line, **tiles).interval == 600
    done = ran(
        "@vector RegisterMove %r1, 1\n@vector TensorCopy c, a[:, %r1 : +4]\n@vector Nop", **tiles
    )
    (_, copy, _) = programs.times(done, "vector")
    assert copy[1] - copy[0] >= 600 * done.machine.cycle(done.queue("vector").index)


# ---------------------------------------------------------------- views


@pytest.mark.parametrize(
    "view",
    [
        "a.indirect(i, num_elem=3)",
        "a[:, 8:16].indirect(i, num_elem=3)",
        "a[32:64, 8:16].indirect(i[32:64, 0:1], num_elem=3)",
        "a.view(uint8)[:, 4:12].indirect(i[:, 0:1], num_elem=3)",
        "a.ap([[40, 128], [1, 3]], offset=1, scalar_offset=one, indirect_dim=1)",
        "a.ap([[40, 128], [2, 3]], offset=1, scalar_offset=%r3, indirect_dim=1)",
        "a[:, %r3 : +4]",
        "H.ap([[10, 20], [1, 10]], offset=0, vector_offset=j, indirect_dim=0)",
        "H.ap([[10, 20], [1, 3]], offset=2, vector_offset=j, indirect_dim=0)",
    ],
)
def test_a_view_is_spelt_as_a_program_writes_it(view: str) -> None:
    made = programs.program(
        "@vector Nop",
        "trn3",
        a=sbuf("f32", (128, 40)),
        i=sbuf("u16", (128, 2)),
        one=sbuf("i32", (1, 1)),
        j=sbuf("i32", (32, 1)),
        H=programs.hbm("f32", (20, 10)),
    )
    session = nasm.Session(made)
    seen = session.view(view)
    again = session.view(spell(seen))
    assert again == seen
    assert spell(seen) == view


def test_python_has_the_methods_of_the_language() -> None:
    n = nasm.Builder("trn3")
    a, i = n.sbuf("a", "f32", (128, 4, 8)), n.sbuf("i", "u16", (128, 1))
    h, j = n.hbm("h", "f32", (64, 32)), n.sbuf("j", "i32", (128, 1))
    assert a.reshape(128, 32).shape == (128, 32)
    assert a.permute(0, 2, 1).shape == (128, 8, 4)
    assert a[:, 0:1].broadcast(128, 4, 8).steps == (1, 0, 1)
    assert a.view("u8").shape == (128, 4, 32)
    assert h.T.shape == (32, 64)
    assert h.ap([[32, 64], [1, 4]], offset=2).shape == (64, 4)
    assert spell(h.ap([[32, 64], [1, 4]], vector_offset=j)).endswith("indirect_dim=0)")
    assert spell(a.reshape(128, 32)[:, 4:].indirect(i, 5)).endswith(".indirect(i, num_elem=5)")
    with pytest.raises(Failure, match="cannot be reshaped"):
        a.reshape(128, 5)
    with pytest.raises(Failure, match="decides at run time"):
        a.indirect(i, 5).reshape(128, 5)
    assert isinstance(a, View)
