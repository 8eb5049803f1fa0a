; host: the store has landed when Vector is done, but nothing says that it has to
.target trn2
.hbm   Y    f32[128, 64]  output
.sbuf  t    f32[128, 64]
.sbuf  big  f32[128, 16384]
.sem   written, stored
@vector  Memset          t, 1.0                           $written++
@vector  Memset          big, 2.0
@vector  TensorScalar    big, big, op0=add, operand0=1.0
@sync    DmaCopy         Y, t            $written >= 1    $stored += 16
;+ @sync    EventSemaphore                  $stored >= 16
