"""Every rule has a program that breaks it, and the refusal quotes the rule."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from nasm.problems import Problem
from nasm.spec.instruction import Rule
from nasm.targets.neuron import rules
from nasm.targets.neuron.isa import ISA
from tests.neuron import programs
from tests.neuron.programs import hbm, psum, sbuf

TILES = {
    "A": hbm("f32", (128, 64)), "H": hbm("bf16", (128, 64)), "N": hbm("i32", (4,)),
    "a": sbuf("f32", (128, 64)), "b": sbuf("f32", (128, 64)), "c": sbuf("f32", (128, 64)),
    "half": sbuf("f32", (64, 64)), "low": sbuf("f32", (32, 64)), "thin": sbuf("f32", (128, 32)),
    "odd": sbuf("f32", (32, 64), "16:0"), "one": sbuf("f32", (1, 300)),
    "col": sbuf("f32", (128, 1)), "col64": sbuf("f32", (64, 1)), "tcol": sbuf("tf32", (128, 1)),
    "icol": sbuf("i32", (128, 1)), "i": sbuf("i32", (128, 64)), "j": sbuf("i16", (128, 64)),
    "g": sbuf("bf16", (128, 64)), "wide": sbuf("f32", (128, 600)),
    "long": sbuf("i8", (1, 3, 40000)),
    "w": sbuf("float8_e4m3fn_x4", (128, 64)), "scale": sbuf("float8_e8m0fnu", (128, 64)),
    "fn": sbuf("float8_e4m3fn", (128, 64)), "f": sbuf("float8_e4m3", (128, 64)),
    "pair": sbuf("float8_e4m3", (128, 2, 64)), "deep": sbuf("f32", (1, 2, 2, 2, 2, 2)),
    "few": sbuf("f32", (128, 7)), "best": sbuf("f32", (128, 8)), "best64": sbuf("f32", (64, 8)),
    "at": sbuf("u16", (128, 8)), "at7": sbuf("u16", (128, 7)), "at64": sbuf("u16", (64, 8)),
    "p": psum("f32", (128, 64)), "q": psum("f32", (128, 64)), "p64": psum("f32", (64, 64)),
    "banks": psum("f32", (128, 1024)), "pf": psum("float8_e4m3", (64, 64)),
    "pg": psum("bf16", (64, 64)), "full": psum("bf16", (1, 4100)),
}  # fmt: skip
ROW_TILE = "tile_position=[64, 0], tile_size=[64, 128]"
COLUMN_TILE = "tile_position=[0, 64], tile_size=[128, 64]"


@dataclass(frozen=True, slots=True)
class Broken:
    """A program that breaks a rule: the start of its sentence, what it says, the lines."""

    row: str
    sentence: str
    code: str
    piece: str
    lines: str
    on: str = "trn2"

    @property
    def name(self) -> str:
        return f"{self.row}: {self.lines}"

    @property
    def rule(self) -> Rule:
        own = ISA.rows[self.row].rules
        (found,) = (r for r in (*rules.EVERYWHERE, *own) if r.sentence.startswith(self.sentence))
        return found


def everywhere() -> list[Broken]:
    copy, start = "TensorCopy", "more than 64 partitions"
    pattern = "an access pattern"
    return [
        Broken(copy, "the generation has the dtype", "E0405", "src (fn) is float8_e4m3fn",
               "@vector TensorCopy g, fn"),
        Broken("DmaCopy", "the generation has the dtype", "E0405", "float8_e8m0fnu",
               "@gpsimd DmaCopy g, scale", "trn1"),
        Broken(copy, "an engine reads and writes", "E0403", "src is in psum; gpsimd reads sbuf",
               "@gpsimd TensorCopy c, p"),
        Broken(copy, "an engine reads and writes", "E0403", "dst is in psum; gpsimd writes sbuf",
               "@gpsimd TensorCopy p, c"),
        Broken(copy, start, "E0401", "starts at partition 16 with 32",
               "@vector TensorCopy low, odd"),
        Broken(copy, start, "E0401", "starts at partition 32 with 64",
               "@vector TensorCopy half, a[32:96]"),
        Broken(copy, start, "E0401", "starts at partition 1 with 100",
               "@vector TensorCopy c[0:100], a[1:101]"),
        Broken("MatchValueLoad", start, "E0401", "starts at partition 8",
               "@vector MatchValueLoad best[8:16]"),
        Broken(copy, "the partitions of an operand", "E0402", "steps 2 partitions",
               "@vector TensorCopy half, a[::2]"),
        Broken(copy, "a destination's pattern", "E0402", "walks some elements more than once",
               "@vector TensorCopy col.broadcast(128, 64), a"),
        Broken(copy, pattern, "E0402", "5 free dims",
               "@vector TensorCopy one[:, 0:32], deep.permute(0, 5, 4, 3, 2, 1)"),
        Broken(copy, pattern, "E0402", "counts 70000",
               "@vector TensorCopy col[0:1].broadcast(1, 70000), a[0:1, 0:1].broadcast(1, 70000)"),
        Broken(copy, pattern, "E0402", "steps 40000",
               "@vector TensorCopy one[:, 0:3], long[:, :, 0]"),
        Broken("TensorTensor", "arithmetic needs numbers", "E0405", "data1 (w) is float8_e4m3fn_x4",
               "@vector TensorTensor c, w, b, op=add", "trn3"),
        Broken(copy, "arithmetic needs numbers", "E0405", "float8_e8m0fnu",
               "@vector TensorCopy c, scale", "trn3"),
        Broken(copy, "at most 65,536 elements", "E0410", "(one) has 90000 elements",
               "@vector TensorCopy one.reshape(1, 300, 1).broadcast(1, 300, 300), "
               "one.reshape(1, 300, 1).broadcast(1, 300, 300)"),
        Broken(copy, "at most 65,536 elements", "E0410", "wanted at most 4096 in psum",
               "@vector TensorCopy wide.view(bf16)[0:1, 0:1].broadcast(1, 4100), full"),
    ]  # fmt: skip


def elementwise() -> list[Broken]:
    tt, ts = "TensorTensor", "TensorScalar"
    engines = "an operator runs on the engines"
    return [
        Broken(tt, "dst, data1 and data2", "E0404", "data2 32; wanted the same",
               "@vector TensorTensor c, a, thin, op=add"),
        Broken(tt, "dst, data1 and data2", "E0404", "dst has 64 partitions, data1 128",
               "@vector TensorTensor half, a, b, op=add"),
        Broken(tt, "data1 and data2 are not both", "E0406", "both in psum",
               "@vector TensorTensor c, p, q, op=add"),
        Broken(tt, "bitwise operators take", "E0405", "bitwise_and with dst of float32",
               "@vector TensorTensor c, i, i, op=bitwise_and"),
        Broken(tt, "bitwise operators take", "E0405", "2 and 4 bytes",
               "@vector TensorTensor i, i, j, op=bitwise_or"),
        Broken(tt, engines, "E0408", "on v2 @gpsimd has it",
               "@vector TensorTensor c, a, b, op=power", "trn1"),
        Broken(tt, engines, "E0408", "on v3 no engine has it",
               "@vector TensorTensor c, a, b, op=abs_max"),
        Broken(ts, "dst and data have", "E0404", "data 32",
               "@vector TensorScalar c, thin, op0=abs"),
        Broken(ts, "data, operand0 and operand1", "E0404", "operand0 64",
               "@vector TensorScalar c, a, op0=add, operand0=col64"),
        Broken(ts, "an operator of two operands", "E0407", "op0=add without operand0",
               "@vector TensorScalar c, a, op0=add"),
        Broken(ts, "an operator of two operands", "E0407", "op0=abs takes no operand",
               "@vector TensorScalar c, a, op0=abs, operand0=3"),
        Broken(ts, "an operator of two operands", "E0407", "operand1",
               "@vector TensorScalar c, a, op0=add, operand0=1, operand1=3"),
        Broken(ts, "op0 and op1 are both", "E0407", "one is bitwise, one arithmetic",
               "@vector TensorScalar i, i, op0=bitwise_and, operand0=1, op1=add, operand1=1"),
        Broken(ts, "an operand tile is float32", "E0405", "operand0 is int32; wanted float32",
               "@vector TensorScalar c, a, op0=add, operand0=icol"),
        Broken(ts, "an operand tile is float32", "E0405", "operand0 is int32; wanted int16",
               "@vector TensorScalar j, j, op0=bitwise_or, operand0=icol"),
        Broken(ts, "an operand tile is float32", "E0405", "wants an integer",
               "@vector TensorScalar i, i, op0=bitwise_or, operand0=1.5"),
        Broken(ts, "bitwise operators take", "E0405", "left_shift with dst of float32",
               "@vector TensorScalar c, i, op0=left_shift, operand0=1"),
        Broken(ts, "Scalar (v3, v4) does", "E0408", "op0=add, op1=multiply on scalar",
               "@scalar TensorScalar c, a, op0=add, operand0=1, op1=multiply, operand1=2"),
        Broken(ts, "GpSimd does rsqrt", "E0408", "op0=multiply in float32 on gpsimd",
               "@gpsimd TensorScalar c, a, op0=multiply, operand0=2.0"),
        Broken(ts, engines, "E0408", "op0=relu on vector",
               "@vector TensorScalar c, a, op0=relu", "trn2"),
        Broken(ts, engines, "E0408", "op1=rsqrt on vector",
               "@vector TensorScalar c, a, op0=add, operand0=1, op1=rsqrt"),
        Broken("Reciprocal", "dst and data have", "E0404", "data 32", "@vector Reciprocal c, thin"),
    ]  # fmt: skip


def activation() -> list[Broken]:
    row = "Activation"
    head = "@scalar Activation c, a, op=exp"
    return [
        Broken(row, "dst and data have", "E0404", "data 32", "@scalar Activation c, thin, op=exp"),
        Broken(row, "data, bias, scale", "E0404", "bias 64", f"{head}, bias=col64"),
        Broken(row, "data, bias, scale", "E0404", "scale 64", f"{head}, scale=col64"),
        Broken(row, "data, bias, scale", "E0404", "reduce_res 64", f"{head}, reduce_res=col64"),
        Broken(row, "on v2 bias is", "E0408", "bias=1.0 on v2", f"{head}, bias=1.0", "trn1"),
        Broken(row, "bias is of any dtype", "E0405", "tfloat32", f"{head}, bias=tcol"),
        Broken(row, "reciprocal takes no bias", "E0407", "with a bias",
               "@scalar Activation c, a, op=reciprocal, bias=col", "trn1"),
        Broken(row, "a reduction says", "E0407", "reduce_cmd=reduce without reduce_op",
               f"{head}, reduce_cmd=reduce"),
        Broken(row, "a reduction says", "E0407", "sums nothing", f"{head}, reduce_op=add"),
    ]  # fmt: skip


def matmul() -> list[Broken]:
    load, multiply = "LoadStationary", "MultiplyMoving"
    tiling, double = "a tile's size is", "double_row takes"
    found = []
    for row, line in ((load, "LoadStationary {},"), (multiply, "MultiplyMoving p64, {},")):
        engine = f"@tensor {line}"
        found += [
            Broken(row, tiling, "E0407", "a tile of 32 rows",
                   engine.format("low") + "tile_position=[32, 0], tile_size=[32, 64]", "trn1"),
            Broken(row, tiling, "E0407", "a tile of 96 columns",
                   engine.format("a") + "tile_position=[0, 0], tile_size=[128, 96]"),
            Broken(row, tiling, "E0407", "64 rows at 32",
                   engine.format("half") + "tile_position=[32, 0], tile_size=[64, 128]"),
            Broken(row, double, "E0407", "double_row on v2",
                   engine.format("pair") + "perf_mode=double_row", "trn1"),
            Broken(row, double, "E0407", "wanted fp8", engine.format("a") + "perf_mode=double_row"),
            Broken(row, double, "E0407", "wanted [K, 2, …]",
                   engine.format("f") + "perf_mode=double_row"),
            Broken(row, double, "E0407", "column tiles or transpose",
                   engine.format("pair") + f"perf_mode=double_row, {COLUMN_TILE}"),
            Broken(row, "transpose mode of fp8", "E0601", "float8_e4m3",
                   engine.format("f") + "is_transpose=true"),
        ]  # fmt: skip
    return [
        *found,
        Broken(load, "stationary spans", "E0410", "128 partitions, the tile 64 rows",
               f"@tensor LoadStationary a, {ROW_TILE}"),
        Broken(load, "the stationary tile has", "E0410", "600 columns",
               "@tensor LoadStationary wide"),
        Broken(load, "the stationary tile has", "E0410", "at most 32",
               "@tensor LoadStationary a, tile_position=[0, 32], tile_size=[128, 32]"),
        Broken(load, "stationary starts at", "E0401", "partition 0, the tile at row 64",
               f"@tensor LoadStationary half, {ROW_TILE}"),
        Broken(multiply, "moving spans", "E0410", "128 partitions, the tile 64 rows",
               f"@tensor MultiplyMoving p, a, {ROW_TILE}"),
        Broken(multiply, "the moving tile has", "E0410", "600 columns",
               "@tensor MultiplyMoving banks[:, 0:600], wide"),
        Broken(multiply, "dst has as many", "E0404", "dst has 64 columns, moving 32",
               "@tensor MultiplyMoving p, thin"),
        Broken(multiply, "dst is float32", "E0405", "dst is bfloat16; wanted float32",
               "@tensor MultiplyMoving pg, g"),
        Broken(multiply, "dst is float32", "E0405", "dst is float32; wanted bfloat16",
               "@tensor MultiplyMoving p64, g, is_transpose=true"),
        Broken(multiply, "dst stays within", "E0409", "banks",
               "@tensor MultiplyMoving banks[:, 300:812], wide[:, 0:512]"),
        Broken(multiply, "moving starts at", "E0401", "the tile at row 64",
               f"@tensor MultiplyMoving p, half, {ROW_TILE}"),
        Broken(multiply, "dst starts at", "E0401", "dst starts at partition 0, the tile at 64",
               f"@tensor MultiplyMoving p64, a, {COLUMN_TILE}"),
        Broken(multiply, "transpose mode overwrites", "E0407", "accumulate=true",
               "@tensor MultiplyMoving p64, a, accumulate=true, is_transpose=true"),
    ]  # fmt: skip


def reducing() -> list[Broken]:
    row, reduce = "TensorReduce", "@vector TensorReduce"
    axes = "axis names the last"
    return [
        Broken(row, "dst and data have", "E0404", "dst has 64 partitions, data 128",
               f"{reduce} col64, a, op=add, axis=1"),
        Broken(row, axes, "E0404", "axis 0 is the partition axis",
               f"{reduce} col, a, op=add, axis=0"),
        Broken(row, axes, "E0404", "wanted its last ones", f"{reduce} c, pair, op=add, axis=1"),
        Broken(row, axes, "E0404", "no axis", f"{reduce} c, a, op=add, axis=[]"),
        Broken(row, axes, "E0404", "5 axes; wanted at most 4",
               f"{reduce} one[:, 0:1], deep, op=add, axis=[1, 2, 3, 4, 5]"),
        Broken(row, "dst has one element", "E0404", "dst has 64 elements per partition; wanted 1",
               f"{reduce} c, a, op=add, axis=1"),
        Broken(row, "negate is for", "E0407", "op=bitwise_or",
               f"{reduce} icol, i, op=bitwise_or, axis=1, negate=true"),
        Broken(row, "bitwise operators take", "E0405", "float32",
               f"{reduce} col, a, op=bitwise_or, axis=1"),
        Broken("Max8", "dst and src have", "E0404", "dst has 64", "@vector Max8 best64, a"),
        Broken("Max8", "src has 8 to 16,384", "E0410", "src has 7", "@vector Max8 best, few"),
        Broken("Max8", "dst has exactly 8", "E0410", "dst has 7", "@vector Max8 few, a"),
        Broken("MatchValueLoad", "vals has exactly 8", "E0410", "vals has 7",
               "@vector MatchValueLoad few"),
        Broken("FindIndex8", "dst and data have", "E0404", "dst has 64",
               "@vector FindIndex8 at64, a"),
        Broken("FindIndex8", "data has 8 to 16,384", "E0410", "data has 7",
               "@vector FindIndex8 at, few"),
        Broken("FindIndex8", "dst has exactly 8", "E0410", "dst has 7",
               "@vector FindIndex8 at7, a"),
    ]  # fmt: skip


def moving() -> list[Broken]:
    dma, made = "DmaCopy", "hwdge is Sync's and Scalar's"
    number, trigger = "the value is of dst's class", ".dma t\n  {}\n.end\n@sync DmaTrigger t"
    dtypes = "each line of the transfer is of"
    return [
        Broken("TensorCopy", "dst and src have", "E0404", "src 32", "@vector TensorCopy c, thin"),
        Broken("Memset", number, "E0405", "wanted an integer", "@vector Memset i, 1.5"),
        Broken("Memset", number, "E0405", "wanted -32768 to 32767", "@vector Memset j, 40000"),
        Broken("Memset", number, "E0405", "wanted 0", "@vector Memset w, 1", "trn3"),
        Broken("Memset", number, "E0405", "a power of two", "@vector Memset scale, 3", "trn3"),
        Broken(dma, "dst and src have as many", "E0404", "dst has 4096 elements, src 8192",
               "@sync DmaCopy half, A"),
        Broken(dma, made, "E0408", "dge_mode=hwdge on v2",
               "@sync DmaCopy a, A, dge_mode=hwdge", "trn1"),
        Broken(dma, made, "E0408", "dge_mode=hwdge on vector",
               "@vector DmaCopy a, A, dge_mode=hwdge"),
        Broken(dma, made, "E0408", "dge_mode=swdge on sync", "@sync DmaCopy a, A, dge_mode=swdge"),
        Broken(dma, "a DMA converts through", "E0405", "with dge_mode=hwdge", "@sync DmaCopy a, H"),
        Broken(dma, "a DMA converts through", "E0405", "moved as they are",
               "@gpsimd DmaCopy A, w", "trn3"),
        Broken(dma, "a start held in a register", "E0407", "src starts at a register",
               "@vector DmaCopy low, A[%r1 : +32]"),
        Broken(dma, "a DMA writes every element", "E0404", "more than once",
               "@vector DmaCopy col.broadcast(128, 64), A"),
        Broken(dma, "a DMA does not write PSUM", "E0406", "dst is in psum", "@sync DmaCopy p, A"),
        Broken("DmaTrigger", "each line of the transfer has", "E0404", "half has 4096",
               trigger.format("half <- A")),
        Broken("DmaTrigger", "each line of the transfer has", "E0404", "p is in psum",
               trigger.format("p <- A")),
        Broken("DmaTrigger", dtypes, "E0405", "moved as they are",
               trigger.format("a <- w"), "trn3"),
        Broken("DmaTrigger", dtypes, "E0405", "moved as they are",
               trigger.format("scale <- f"), "trn3"),
        Broken("DmaTrigger", dtypes, "E0405", "does not have", trigger.format("fn <- fn")),
        Broken("DmaTrigger", "a prepared transfer starts", "E0407", "A starts at a register",
               trigger.format("low <- A[%r1 : +32]")),
    ]  # fmt: skip


def control() -> list[Broken]:
    element, plain = "a register is one element", "a register takes plain numbers"
    return [
        Broken("TensorLoad", element, "E0404", "src has 4 elements", "@sync TensorLoad %r0, N"),
        Broken("TensorStore", element, "E0404", "dst has 4 elements", "@sync TensorStore N, %r0"),
        Broken("TensorLoad", plain, "E0405", "src is float8_e4m3fn_x4",
               "@sync TensorLoad %r0, w[0, 0]", "trn3"),
        Broken("TensorStore", plain, "E0405", "dst is float8_e8m0fnu",
               "@sync TensorStore scale[0, 0], %r0", "trn3"),
        Broken("CompareBranch", "a comparison has both", "E0407", "op=less without",
               "@sync\nh: CompareBranch %r0, op=less, target=h"),
    ]  # fmt: skip


CASES = [
    *everywhere(), *elementwise(), *activation(), *matmul(), *reducing(), *moving(), *control()
]  # fmt: skip


def quotes(problem: Problem, case: Broken) -> bool:
    said = f"rule: {case.rule.sentence} ({case.rule.source})"
    return (
        problem.code == case.code
        and problem.message.startswith(f"{case.row}: ")
        and case.piece in problem.message
        and problem.hint.endswith(said)
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_broken_rule_is_refused_and_quoted(case: Broken) -> None:
    problems = programs.refused(case.lines, case.on, **TILES)
    assert [p for p in problems if quotes(p, case)], problems


def test_no_rule_is_without_a_program_that_breaks_it() -> None:
    broken = {(c.row, c.rule.sentence) for c in CASES}
    errors = {(row.name, r.sentence) for row in ISA for r in row.rules if not r.warning}
    assert errors <= broken
    assert {r.sentence for r in rules.EVERYWHERE} <= {sentence for _, sentence in broken}


def test_every_code_of_a_rule_is_the_code_of_its_case() -> None:
    assert [(c.name, c.code) for c in CASES if c.code != c.rule.code] == []


def test_a_dma_that_reads_psum_runs_and_warns() -> None:
    done = programs.ran("@vector Memset p, 1.0\n@sync DmaCopy C, p", p=TILES["p"], C=TILES["A"])
    (warning,) = done.program.warnings
    assert (warning.code, warning.warning) == ("E0406", True)
    assert "src is in psum" in warning.message
