; race: nothing orders the two, which are far apart: right by luck of time
.target trn2
.hbm   Y    f32[128, 64]  output
.sbuf  t    f32[128, 64]
.sbuf  big  f32[128, 8192]
.sbuf  u    f32[128, 64]
.sem   written, copied, stored
@gpsimd  Memset          t, 1.0                           $written++
@vector  Memset          big, 2.0
@vector  TensorCopy      u, t                             $copied++
;= @vector  TensorCopy      u, t          $written >= 1  $copied++
@vector  TensorCopy      big[:, :64], big[:, 64:128]
@sync    DmaCopy         Y, u            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
