; fails: run  (32 of one transfer)
.target trn2
.hbm   X  f32[128, 256]  input = normal(seed=1)
.hbm   Y  f32[128, 256]  output
.sbuf  x  f32[128, 256]
.sbuf  y  f32[128, 256]
.sem   loaded, added, ready, stored

@sync    DmaCopy         x, X                                        $loaded += 16
@vector  TensorScalar    x, x, op0=add, operand0=1.0  $loaded >= 32  $added++
@scalar  Activation      y, x, op=gelu                $added >= 1    $ready++
@sync    DmaCopy         Y, y                         $ready >= 1    $stored += 16
@sync    EventSemaphore                               $stored >= 16
