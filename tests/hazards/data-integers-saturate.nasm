; data: 300 does not fit a byte
.target trn2
.hbm   Y  u8[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  u  u8[128, 64]
.sem   copied, stored
@vector  Memset          t, 300.0
;= @vector  Memset          t, 200.0
@vector  TensorCopy      u, t                             $copied++
@sync    DmaCopy         Y, u            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
