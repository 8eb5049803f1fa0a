; test_nki_isa_reduce.py, test_reduce: the sum of each row
.target trn1
.hbm   A     f32[128, 512]  input
.hbm   OUT   f32[128, 1]  output
.hbm   WANT  f32[128, 1]  input
.sbuf  a     f32[128, 512]
.sbuf  c     f32[128, 1]
.sem   loaded, done, stored
@sync    DmaCopy  a, A                     $loaded += 16
@vector  TensorReduce  c, a, op=add, axis=1            $loaded >= 16   $done++
@sync    DmaCopy  OUT, c   $done >= 1      $stored += 16
@sync    EventSemaphore    $stored >= 16
.expect  OUT ~ WANT
