; test_nki_isa_tensor_scalar.py, test_tensor_scalar, third example: e * f + 2.5 with a scalar per partition
.target trn1
.hbm   E     f32[64, 1024]  input
.hbm   F     f32[64, 1]     input
.hbm   OUT   f32[64, 1024]  output
.hbm   WANT  f32[64, 1024]  input
.sbuf  e     f32[64, 1024]
.sbuf  f     f32[64, 1]
.sbuf  c     f32[64, 1024]
.sem   loaded, done, stored
@sync    DmaCopy       e, E  $loaded += 16
@sync    DmaCopy       f, F  $loaded += 16
@vector  TensorScalar  c, e, op0=multiply, operand0=f, op1=add, operand1=2.5   $loaded >= 32  $done++
@sync    DmaCopy       OUT, c  $done >= 1  $stored += 16
@sync    EventSemaphore  $stored >= 16
.expect  OUT ~ WANT
