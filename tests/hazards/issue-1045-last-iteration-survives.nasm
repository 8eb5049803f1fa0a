; race: aws-neuron-sdk 1045: each round fills the tile before the last one has left it
.target trn2
.const N = 3
.hbm   Y  f32[N, 64]  output
.sbuf  t  f32[1, 64]
.sem   written, stored
.for k in 0..N
@vector  Memset          t, k + 1.0                       $written++
;= @vector  Memset          t, k + 1.0      $stored >= 16 * k   $written++
@sync    DmaCopy         Y[k : +1], t    $written >= k + 1   $stored += 16
.end
@sync    EventSemaphore                  $stored >= 16 * N
