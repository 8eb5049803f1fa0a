; data: the product is added to what Vector wrote, which is undefined
.target trn2
.hbm   Y    f32[128, 512]  output
.sbuf  a    bf16[128, 128]
.sbuf  b    bf16[128, 512]
.sbuf  c    f32[128, 512]
.psum  acc  f32[128, 512]
.sem   written, multiplied, copied, stored
@gpsimd  Memset          a, 1.0                           $written++
@vector  Memset          b, 1.0
@vector  Memset          acc, 1.0                         $written++
;= @vector  EventSemaphore                                   $written++
@tensor  LoadStationary  a               $written >= 2
@tensor  MultiplyMoving  acc, b, accumulate=true          $multiplied++
;= @tensor  MultiplyMoving  acc, b                           $multiplied++
@vector  TensorCopy      c, acc          $multiplied >= 1   $copied++
@sync    DmaCopy         Y, c            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
