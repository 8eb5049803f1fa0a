; race: Vector reads what GpSimd is still writing
.target trn2
.hbm   Y  f32[128, 512]  output
.sbuf  t  f32[128, 512]
.sbuf  u  f32[128, 512]
.sem   written, copied, stored
@gpsimd  Memset          t, 1.0                           $written++
@vector  TensorCopy      u, t                             $copied++
;= @vector  TensorCopy      u, t          $written >= 1  $copied++
@sync    DmaCopy         Y, u            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
