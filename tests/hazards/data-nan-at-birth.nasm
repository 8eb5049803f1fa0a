; data: 0 / 0, of finite operands
.target trn2
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  u  f32[128, 64]
.sem   divided, stored
@vector  Memset          t, 0.0
;= @vector  Memset          t, 2.0
@vector  Memset          u, 0.0
@vector  TensorTensor    u, u, t, op=divide               $divided++
@sync    DmaCopy         Y, u            $divided >= 1    $stored += 16
@sync    EventSemaphore                  $stored >= 16
