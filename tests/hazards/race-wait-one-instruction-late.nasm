; race: the wait is on the instruction behind the one that needs it
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  u  f32[128, 64]
.sem   loaded, copied, stored
@sync    DmaCopy         t, X                             $loaded += 16
@vector  TensorCopy      u, t
;= @vector  TensorCopy      u, t            $loaded >= 16
@vector  TensorScalar    u, u, op0=add, operand0=1.0   $loaded >= 16   $copied++
;= @vector  TensorScalar    u, u, op0=add, operand0=1.0   $copied++
@sync    DmaCopy         Y, u            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
