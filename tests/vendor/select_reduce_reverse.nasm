; test_nki_isa_select_reduce.py, test_select_reduce_reverse_pred: the predicate reversed
.target trn1
.hbm   PRED  u8[128, 64]   input
.hbm   A     f32[128, 64]  input
.hbm   OUT   f32[128, 64]  output
.hbm   WANT  f32[128, 64]  input
.sbuf  pred  u8[128, 64]
.sbuf  a     f32[128, 64]
.sbuf  c     f32[128, 64]
.sem   loaded, done, stored
@sync    DmaCopy  pred, PRED   $loaded += 16
@sync    DmaCopy  a, A         $loaded += 16
@vector  SelectReduce  c, pred, a, -3.4028234663852886e38, reverse_pred=true  $loaded >= 32  $done++
@sync    DmaCopy  OUT, c  $done >= 1  $stored += 16
@sync    EventSemaphore   $stored >= 16
.expect  OUT == WANT
