; test_nki_isa_select_reduce.py, test_select_reduce_with_reduction: and the maximum of each row
.target trn1
.hbm   PRED  u8[128, 512]   input
.hbm   A     f32[128, 512]  input
.hbm   OUT   f32[128, 512]  output
.hbm   WANT  f32[128, 512]  input
.sbuf  pred  u8[128, 512]
.sbuf  a     f32[128, 512]
.sbuf  c     f32[128, 512]
.hbm   ON_FALSE  f32[128, 1]  input
.sbuf  f  f32[128, 1]
.hbm   MOST  f32[128, 1]  output
.hbm   WANT_MOST  f32[128, 1]  input
.sbuf  m  f32[128, 1]
.sem   loaded, done, stored
@sync    DmaCopy  pred, PRED   $loaded += 16
@sync    DmaCopy  a, A         $loaded += 16
@sync    DmaCopy  f, ON_FALSE  $loaded += 16
@vector  SelectReduce  c, pred, a, f, reduce_cmd=reset_reduce, reduce_res=m, reduce_op=maximum  $loaded >= 48  $done++
@sync    DmaCopy  OUT, c  $done >= 1  $stored += 16
@sync    DmaCopy  MOST, m      $stored += 16
@sync    EventSemaphore   $stored >= 32
.expect  OUT == WANT
.expect  MOST == WANT_MOST
