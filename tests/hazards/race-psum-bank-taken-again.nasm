; race: Tensor overwrites a bank of PSUM from which Vector still reads
.target trn2
.hbm   Y    f32[128, 1024]  output
.sbuf  a    bf16[128, 128]
.sbuf  b    bf16[128, 512]
.sbuf  c    f32[128, 1024]
.psum  acc  f32[128, 512]
.sem   written, multiplied, copied, stored
@gpsimd  Memset          a, 1.0                           $written++
@vector  Memset          b, 1.0                           $written++
@tensor  LoadStationary  a               $written >= 2
@tensor  MultiplyMoving  acc, b                           $multiplied++
@tensor  MultiplyMoving  acc, b                           $multiplied++
;= @tensor  MultiplyMoving  acc, b          $copied >= 1     $multiplied++
@vector  TensorCopy      c[:, :512], acc   $multiplied >= 1   $copied++
@vector  TensorCopy      c[:, 512:], acc   $multiplied >= 2   $copied++
@sync    DmaCopy         Y, c            $copied >= 2     $stored += 16
@sync    EventSemaphore                  $stored >= 16
