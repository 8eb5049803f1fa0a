; race: columns 0, 2, … 62 and columns from 62 on: the two meet in one column
.target trn2
.hbm   Y  f32[128, 128]  output
.sbuf  t  f32[128, 128]
.sem   written, stored
@gpsimd  Memset          t[:, 1:64:2], 1.0                $written++
@vector  Memset          t[:, :64:2], 2.0                 $written++
@gpsimd  Memset          t[:, 62:], 3.0                   $written++
;= @gpsimd  Memset          t[:, 64:], 3.0                   $written++
@sync    DmaCopy         Y, t            $written >= 3    $stored += 16
@sync    EventSemaphore                  $stored >= 16
