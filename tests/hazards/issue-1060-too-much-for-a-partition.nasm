; space: aws-neuron-sdk 1060: 198,024 bytes per partition, of 196,608
.target trn1
.const WIDTH = 49506
;= .const WIDTH = 49152
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, WIDTH]
.sem   written, stored
@vector  Memset          t, 1.0                           $written++
@sync    DmaCopy         Y, t[:, :64]    $written >= 1    $stored += 16
@sync    EventSemaphore                  $stored >= 16
