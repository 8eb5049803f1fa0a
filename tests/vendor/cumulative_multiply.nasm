; test_nki_isa_tensor_scalar_cumulative.py, test_tensor_scalar_cumulative_scalar2: a running product
.target trn2
.hbm   A     f32[128, 64]  input
.hbm   OUT   f32[128, 64]  output
.hbm   WANT  f32[128, 64]  input
.sbuf  a     f32[128, 64]
.sbuf  c     f32[128, 64]
.sem   loaded, done, stored
@sync    DmaCopy  a, A  $loaded += 16
@vector  TensorScalarCumulative  c, a, op0=add, op1=multiply, imm0=0.0, reduce_cmd=reset_reduce  $loaded >= 16  $done++
@sync    DmaCopy  OUT, c  $done >= 1  $stored += 16
@sync    EventSemaphore   $stored >= 16
.expect  OUT ~ WANT
