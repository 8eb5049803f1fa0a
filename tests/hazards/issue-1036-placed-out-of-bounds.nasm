; space: aws-neuron-sdk 1036: a tile that begins within the memory and ends outside
.target trn2
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64] @ 0:229200
;= .sbuf  t  f32[128, 64] @ 0:229120
.sem   written, stored
@vector  Memset          t, 1.0                           $written++
@sync    DmaCopy         Y, t            $written >= 1    $stored += 16
@sync    EventSemaphore                  $stored >= 16
