; fails: time  (b is loaded after a has landed)
.target trn2
.hbm   A    bf16[128, 128]  input = normal(seed=1)
.hbm   B    bf16[128, 512]  input = normal(seed=2)
.hbm   C    f32[128, 512]   output
.sbuf  a    bf16[128, 128]
.sbuf  b    bf16[128, 512]
.sbuf  c    f32[128, 512]
.psum  acc  f32[128, 512]
.sem   loaded, multiplied, copied, stored

@sync    DmaCopy         a, A                             $loaded += 16
@sync    DmaCopy         b, B          $loaded >= 16      $loaded += 16
@tensor  LoadStationary  a             $loaded >= 32
@tensor  MultiplyMoving  acc, b                           $multiplied++
@vector  TensorCopy      c, acc        $multiplied >= 1   $copied++
@sync    DmaCopy         C, c          $copied >= 1       $stored += 16
@sync    EventSemaphore                $stored >= 16
