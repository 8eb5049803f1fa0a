; test_nki_isa_dropout.py, test_dropout: not everything is dropped
.target trn1
.hbm   A   f32[128, 512]  input
.hbm   C   f32[128, 512]  output
.hbm   PROB  f32[128, 1]  input
.sbuf  p     f32[128, 1]
.sbuf  a   f32[128, 512]
.sbuf  c   f32[128, 512]
.sem   loaded, done, stored
@sync    DmaCopy  a, A     $loaded += 16
@sync    DmaCopy  p, PROB  $loaded += 16
@vector  Dropout  c, a, p   $loaded >= 32  $done++
@sync    DmaCopy  C, c     $done >= 1     $stored += 16
@sync    EventSemaphore    $stored >= 16
.expect  sum(C == A) + sum(C == 0) == 65536       ; every element is kept or dropped
.expect  sum(C != 0) >= 1
