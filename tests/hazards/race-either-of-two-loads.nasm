; race: either transfer may bring the 16 that Vector waits for: right by luck of count
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   B  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  b  f32[128, 64]
.sbuf  u  f32[128, 64]
.sem   loaded, copied, stored
@sync    DmaCopy         t, X                             $loaded += 16
@scalar  DmaCopy         b, B                             $loaded += 16
@vector  TensorCopy      u, t            $loaded >= 16    $copied++
;= @vector  TensorCopy      u, t            $loaded >= 32    $copied++
@vector  TensorTensor    u, u, b, op=add $loaded >= 32    $copied++
@sync    DmaCopy         Y, u            $copied >= 2     $stored += 16
@sync    EventSemaphore                  $stored >= 16
