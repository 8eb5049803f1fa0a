; test_nki_isa_tensor_scalar_cumulative.py, test_tensor_scalar_cumulative_load_reduce3: a running minimum from a loaded start
.target trn2
.hbm   A     f32[128, 64]  input
.hbm   OUT   f32[128, 64]  output
.hbm   WANT  f32[128, 64]  input
.sbuf  a     f32[128, 64]
.sbuf  c     f32[128, 64]
.hbm   IMM0  f32[128, 1]  input
.sbuf  imm0  f32[128, 1]
.hbm   IMM1  f32[128, 1]  input
.sbuf  imm1  f32[128, 1]
.sem   loaded, done, stored
@sync    DmaCopy  a, A  $loaded += 16
@sync    DmaCopy  imm0, IMM0  $loaded += 16
@sync    DmaCopy  imm1, IMM1  $loaded += 16
@vector  TensorScalarCumulative  c, a, op0=add, op1=minimum, imm0=imm0, imm1=imm1, reduce_cmd=load_reduce  $loaded >= 48  $done++
@sync    DmaCopy  OUT, c  $done >= 1  $stored += 16
@sync    EventSemaphore   $stored >= 16
.expect  OUT ~ WANT
