; race: the update is on the instruction before the one that makes the result
.target trn2
.hbm   Y  f32[128, 512]  output
.sbuf  s  f32[128, 512]
.sbuf  t  f32[128, 512]
.sem   written, stored
@vector  Memset          s, 1.0                           $written++
;= @vector  Memset          s, 1.0
@vector  TensorScalar    t, s, op0=add, operand0=1.0
;= @vector  TensorScalar    t, s, op0=add, operand0=1.0      $written++
@sync    DmaCopy         Y, t            $written >= 1    $stored += 16
@sync    EventSemaphore                  $stored >= 16
