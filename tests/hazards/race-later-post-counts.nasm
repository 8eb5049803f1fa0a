; race: a post that comes later in this run could be the one that Scalar waits for
.target trn2
.hbm   Y  f32[128, 64]  output
.sbuf  t    f32[128, 64]
.sbuf  u    f32[128, 64]
.sbuf  big  f32[128, 8192]
.sem   written, copied, stored
@vector  Memset          t, 1.0                           $written++
@scalar  Activation      u, t, op=copy   $written >= 1    $copied++
;= @scalar  Activation      u, t, op=copy   $written >= 2    $copied++
@gpsimd  Memset          big, 2.0                         $written++
@sync    EventSemaphore                  $written >= 2
@sync    DmaCopy         Y, u            $copied >= 1     $stored += 16
@sync    DmaCopy         Y[:, :8], big[:, :8]   $stored >= 16   $stored += 16
@sync    EventSemaphore                  $stored >= 32
