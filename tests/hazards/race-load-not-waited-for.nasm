; race: Vector reads a tile while it is being loaded
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  u  f32[128, 64]
.sem   loaded, copied, stored
@sync    DmaCopy         t, X                             $loaded += 16
@vector  TensorCopy      u, t                             $copied++
;= @vector  TensorCopy      u, t            $loaded >= 16    $copied++
@sync    DmaCopy         Y, u            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
