; space: aws-neuron-sdk 999: partition 0 is full, and the others are all but empty
.target trn2
.hbm   Y  f32[128, 64]  output
.sbuf  row  f32[1, 53760]
;= .sbuf  row  f32[128, 420]
.sbuf  t    f32[128, 4096]
.sem   written, stored
@vector  Memset          row, 1.0
@vector  Memset          t, 2.0
@vector  TensorCopy      t[:, :1], row[:, :1]
;= @vector  TensorCopy      t[:, :1], row[:, :1]             $written++
@sync    DmaCopy         Y, t[:, :64]    $written >= 1    $stored += 16
@sync    EventSemaphore                  $stored >= 16
