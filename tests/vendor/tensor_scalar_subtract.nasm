; test_nki_isa_tensor_scalar.py, test_tensor_scalar, first example: a - 1
.target trn1
.hbm   A     f32[128, 512]  input
.hbm   OUT   f32[128, 512]  output
.hbm   WANT  f32[128, 512]  input
.sbuf  a     f32[128, 512]
.sbuf  c     f32[128, 512]
.sem   loaded, done, stored
@sync    DmaCopy  a, A                     $loaded += 16
@vector  TensorScalar  c, a, op0=subtract, operand0=1.0            $loaded >= 16   $done++
@sync    DmaCopy  OUT, c   $done >= 1      $stored += 16
@sync    EventSemaphore    $stored >= 16
.expect  OUT ~ WANT
