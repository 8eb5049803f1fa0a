; test_nki_isa_dropout.py, test_dropout_scalar: not everything is dropped
.target trn1
.hbm   A   f32[128, 512]  input
.hbm   C   f32[128, 512]  output
.sbuf  a   f32[128, 512]
.sbuf  c   f32[128, 512]
.sem   loaded, done, stored
@sync    DmaCopy  a, A     $loaded += 16
@vector  Dropout  c, a, 0.2   $loaded >= 16  $done++
@sync    DmaCopy  C, c     $done >= 1     $stored += 16
@sync    EventSemaphore    $stored >= 16
.expect  sum(C == A) + sum(C == 0) == 65536       ; every element is kept or dropped
.expect  sum(C != 0) >= 1
