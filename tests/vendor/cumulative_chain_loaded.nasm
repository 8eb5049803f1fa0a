; test_nki_isa_tensor_scalar_cumulative.py, test_tensor_scalar_cumulative_chain2: the same from a loaded start
.target trn2
.hbm   A     f32[128, 64]  input
.hbm   OUT   f32[128, 64]  output
.hbm   WANT  f32[128, 64]  input
.sbuf  a     f32[128, 64]
.sbuf  c     f32[128, 64]
.sem   loaded, done, stored
@sync    DmaCopy  a, A  $loaded += 16
@vector  TensorScalarCumulative  c, a, op0=add, op1=add, imm0=0.0, imm1=1.0, reduce_cmd=load_reduce  $loaded >= 16
@vector  TensorScalarCumulative  c, a, op0=add, op1=add, imm0=0.0, reduce_cmd=reduce  $done++
@sync    DmaCopy  OUT, c  $done >= 1  $stored += 16
@sync    EventSemaphore   $stored >= 16
.expect  OUT ~ WANT
