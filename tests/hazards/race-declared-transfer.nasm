; race: a transfer that was declared is no more in order than another
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sem   loaded, doubled, stored
.dma load
    t <- X
.end
@vector  DmaTrigger      load                             $loaded += 16
@vector  TensorScalar    t, t, op0=multiply, operand0=2.0   $doubled++
;= @vector  TensorScalar    t, t, op0=multiply, operand0=2.0   $loaded >= 16   $doubled++
@sync    DmaCopy         Y, t            $doubled >= 1    $stored += 16
@sync    EventSemaphore                  $stored >= 16
