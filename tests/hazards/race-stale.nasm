; race: Scalar wants the second content of t, and reads the first
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  u  f32[128, 64]
.sbuf  v  f32[128, 64]
.sem   first, read, second, done, stored
@vector  Memset          t, 1.0                           $first++
@gpsimd  EventSemaphore                  $read >= 1
@gpsimd  DmaCopy         t, X                             $second += 16
@scalar  Activation      u, t, op=copy   $first >= 1      $read++
@scalar  Activation      v, t, op=copy                    $done++
;= @scalar  Activation      v, t, op=copy   $second >= 16   $done++
@sync    EventSemaphore                  $done >= 1
@sync    DmaCopy         Y, v                             $stored += 16
@sync    EventSemaphore                  $stored >= 16
@vector  TensorTensor    u, u, t, op=add   $second >= 16
;+ @vector  EventSemaphore                  $done >= 1
