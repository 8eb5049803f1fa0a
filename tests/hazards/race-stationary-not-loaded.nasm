; race: LoadStationary waits for one of the two tiles that are being loaded
.target trn2
.hbm   A    bf16[128, 128]  input = iota
.hbm   B    bf16[128, 512]  input = iota
.hbm   Y    f32[128, 512]  output
.sbuf  a    bf16[128, 128]
.sbuf  b    bf16[128, 512]
.sbuf  c    f32[128, 512]
.psum  acc  f32[128, 512]
.sem   loaded, multiplied, copied, stored
@sync    DmaCopy         a, A                             $loaded += 16
@sync    DmaCopy         b, B                             $loaded += 16
@tensor  LoadStationary  a               $loaded >= 16
;= @tensor  LoadStationary  a               $loaded >= 32
@tensor  MultiplyMoving  acc, b          $loaded >= 32    $multiplied++
@vector  TensorCopy      c, acc          $multiplied >= 1   $copied++
@sync    DmaCopy         Y, c            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
