; test_nki_isa_copypredicated.py, test_copy_predicated: one tile over another where a predicate is set
.target trn1
.hbm   PRED      u8[128, 512]   input
.hbm   ON_TRUE   f32[128, 512]  input
.hbm   ON_FALSE  f32[128, 512]  input
.hbm   OUT       f32[128, 512]  output
.hbm   WANT      f32[128, 512]  input
.sbuf  pred  u8[128, 512]
.sbuf  src   f32[128, 512]
.sbuf  dst   f32[128, 512]
.sem   loaded, done, stored

@sync    DmaCopy  pred, PRED                                      $loaded += 16
@sync    DmaCopy  src, ON_TRUE                                    $loaded += 16
@sync    DmaCopy  dst, ON_FALSE                                   $loaded += 16
@vector  CopyPredicated  dst, src, pred         $loaded >= 48     $done++
@sync    DmaCopy  OUT, dst                      $done >= 1        $stored += 16
@sync    EventSemaphore                         $stored >= 16

.expect  OUT == WANT
