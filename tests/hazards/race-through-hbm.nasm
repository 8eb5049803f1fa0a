; race: a tile goes out to HBM and comes back before it is there
.target trn2
.hbm   H  f32[128, 64]
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  u  f32[128, 64]
.sem   written, out, back, stored
@vector  Memset          t, 1.0                           $written++
@sync    DmaCopy         H, t            $written >= 1    $out += 16
@sync    DmaCopy         u, H                             $back += 16
;= @sync    DmaCopy         u, H            $out >= 16       $back += 16
@sync    DmaCopy         Y, u            $back >= 16      $stored += 16
@sync    EventSemaphore                  $stored >= 16
;+ @sync    EventSemaphore                  $out >= 16
