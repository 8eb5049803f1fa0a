; data: what the first instruction made is overwritten before anything reads it
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  u  f32[128, 64]
.sem   loaded, done, stored
@sync    DmaCopy         t, X                             $loaded += 16
@vector  TensorScalar    u, t, op0=add, operand0=1.0   $loaded >= 16
@vector  TensorScalar    u, t, op0=multiply, operand0=2.0   $done++
;= @vector  TensorScalar    u, u, op0=multiply, operand0=2.0   $done++
@sync    DmaCopy         Y, u            $done >= 1       $stored += 16
@sync    EventSemaphore                  $stored >= 16
