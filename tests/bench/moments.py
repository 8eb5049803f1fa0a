"""Programs with moments of as many rounds as wanted: two buffers, unrolled and in a loop."""

from __future__ import annotations

HEAD = """\
.target trn2
.hbm   X  f32[{rounds} * 128, 64]  input = iota
.hbm   Y  f32[{rounds} * 128, 64]  output
.for i in 0..2
.sbuf  x{{i}}  f32[128, 64]
.sbuf  y{{i}}  f32[128, 64]
.end
"""
UNROLLED = f"""{HEAD}
.for k in 0..{{rounds}}
@sync DmaCopy x{{{{k % 2}}}}, X[k*128 : +128, :]  after made[k - 2] if k >= 2  post load[k]
@vector TensorScalar y{{{{k % 2}}}}, x{{{{k % 2}}}}, op0=add, operand0=1 \
  after load[k], store[k - 2] if k >= 2  post made[k]
@scalar DmaCopy Y[k*128 : +128, :], y{{{{k % 2}}}}  after made[k]  post store[k]
.end
"""
LOOP = f"""{HEAD}
.loop k in 0..{{rounds}} step 2
.for i in 0..2
@sync DmaCopy x{{{{i}}}}, X[(k + i)*128 : +128, :]  after made[k + i - 2]  post load[k + i]
@vector TensorScalar y{{{{i}}}}, x{{{{i}}}}, op0=add, operand0=1 \
  after load[k + i], store[k + i - 2]  post made[k + i]
@scalar DmaCopy Y[(k + i)*128 : +128, :], y{{{{i}}}}  after made[k + i]  post store[k + i]
.end
.end
@scalar .drain
"""
