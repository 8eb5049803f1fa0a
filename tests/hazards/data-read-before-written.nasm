; data: nothing in the program writes what Vector reads
.target trn2
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  u  f32[128, 64]
.sem   copied, stored
;+ @vector  Memset          t, 1.0
@vector  TensorCopy      u, t                             $copied++
@sync    DmaCopy         Y, u            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
