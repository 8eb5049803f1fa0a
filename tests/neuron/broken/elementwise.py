"""TensorTensor, TensorScalar, Reciprocal."""

from __future__ import annotations

from tests.neuron.broken.case import Broken


def cases() -> list[Broken]:
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
