; race: two transfers write one place at the same time
.target trn2
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  u  f32[128, 64]
.sem   ready, stored
@vector  Memset          t, 1.0
@vector  Memset          u, 2.0                           $ready++
@sync    DmaCopy         Y, t            $ready >= 1      $stored += 16
;= @sync    DmaCopy         Y[:64], t[:64]  $ready >= 1      $stored += 16
@scalar  DmaCopy         Y, u            $ready >= 1      $stored += 16
;= @scalar  DmaCopy         Y[64:], u[64:]  $ready >= 1      $stored += 16
@sync    EventSemaphore                  $stored >= 32
