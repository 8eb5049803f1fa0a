; data: the second product takes the bank of the first before that was copied out
.target trn2
.hbm   Y    f32[128, 512]  output
.sbuf  a    bf16[128, 128]
.sbuf  b    bf16[128, 512]
.sbuf  c    f32[128, 512]
.psum  acc  f32[128, 512]
.sem   written, multiplied, copied, stored
@gpsimd  Memset          a, 1.0                           $written++
@vector  Memset          b, 1.0                           $written++
@tensor  LoadStationary  a               $written >= 2
@tensor  MultiplyMoving  acc, b                           $multiplied++
@tensor  MultiplyMoving  acc, b                           $multiplied++
;= @tensor  MultiplyMoving  acc, b, accumulate=true          $multiplied++
@vector  TensorCopy      c, acc          $multiplied >= 2   $copied++
@sync    DmaCopy         Y, c            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
