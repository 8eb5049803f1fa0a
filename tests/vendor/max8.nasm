; test_nki_isa_max8.py, test_max8: the eight largest of each row, descending
.target trn1
.hbm   A     f32[32, 128]  input
.hbm   OUT   f32[32, 8]    output
.hbm   WANT  f32[32, 8]    input
.sbuf  a     f32[32, 128]
.sbuf  best  f32[32, 8]
.sem   loaded, done, stored
@sync    DmaCopy  a, A                        $loaded += 16
@vector  Max8     best, a   $loaded >= 16     $done++
@sync    DmaCopy  OUT, best $done >= 1        $stored += 16
@sync    EventSemaphore     $stored >= 16
.expect  OUT == WANT
.expect  min(OUT[:, 0:7] - OUT[:, 1:8]) >= 0
