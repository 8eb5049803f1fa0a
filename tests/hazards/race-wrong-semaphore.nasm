; race: Vector waits for a semaphore that says something else
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  u  f32[128, 64]
.sbuf  z  f32[128, 64]
.sem   cleared, loaded, copied, stored
@gpsimd  Memset          z, 1.0                           $cleared++
@sync    DmaCopy         t, X                             $loaded += 16
@vector  TensorTensor    u, t, z, op=add   $cleared >= 1    $copied++
;= @vector  EventSemaphore                  $cleared >= 1
;+ @vector  TensorTensor    u, t, z, op=add   $loaded >= 16    $copied++
@sync    DmaCopy         Y, u            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
