; Several mistakes of several kinds: all of them in one run, in the order of the text.
.target trn1
.hbm   A    bf16[128, 128]  input = random(seed=1)
.hbm   B    bf16[128, 512]  input = randm(seed=2)
.hbm   C    f32[128, 512]   output
.sbuf  a    bf16[128, 128]
.sbuf  b    bf16[128, 512]
.psum  acc  f32[128, 1024]
.sem   loaded, multiplied
@sync    DmaCopy         a, A                      $loaded++
@sync    DmaCopy         b, B                      $loaded += 16
@tensor  LoadStationary  a         $loadd >= 32
@tensor  MultiplyMoving  acc, b                    $multiplied++
@vector  TensorCopy      c, acc    $multiplied >= 1 $copied++
@sync    DmaCopy         C, acc[:, 0:512]
.expect  C ~ A.T @ B   rtol=1e-2
