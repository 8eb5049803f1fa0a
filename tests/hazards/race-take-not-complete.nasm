; race: round two's wait may see what round one has not yet taken out
.target trn2
.hbm   X  f32[2, 64]  input = iota
.hbm   Y  f32[1, 128]  output
.sbuf  t0 f32[1, 64]
.sbuf  t1 f32[1, 64]
.sbuf  u  f32[1, 128]
.sem   landed, taken, copied, stored
@sync    DmaCopy         t0, X[0:1]                       $landed += 16
@sync    DmaCopy         t1, X[1:2]      $taken >= 1      $landed += 16
@vector  EventSemaphore                  $landed >= 16    $landed -= 16
@vector  TensorCopy      u[:, :64], t0                    $taken++
@vector  EventSemaphore                  $landed >= 16    $landed -= 16
;= @vector  EventSemaphore                  $taken >= 1
;+ @vector  EventSemaphore                  $landed >= 16    $landed -= 16
@vector  TensorCopy      u[:, 64:], t1                    $copied++
@sync    DmaCopy         Y, u            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
