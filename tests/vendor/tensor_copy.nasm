; test_nki_isa_tensor_copy.py, test_tensor_copy: a copy
.target trn1
.hbm   A     f32[8, 8]  input
.hbm   OUT   f32[8, 8]  output
.hbm   WANT  f32[8, 8]  input
.sbuf  a     f32[8, 8]
.sbuf  c     f32[8, 8]
.sem   loaded, done, stored
@sync    DmaCopy  a, A                     $loaded += 16
@vector  TensorCopy  c, a            $loaded >= 16   $done++
@sync    DmaCopy  OUT, c   $done >= 1      $stored += 16
@sync    EventSemaphore    $stored >= 16
.expect  OUT == WANT
