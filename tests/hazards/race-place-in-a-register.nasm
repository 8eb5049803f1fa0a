; race: the place is known to the run alone, and Vector is still writing there
.target trn2
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 512]
.sbuf  u  f32[128, 64]
.sem   written, copied, stored
@vector  Memset          t, 1.0                           $written++
@scalar  RegisterMove    %r0, 448
@scalar  Activation      u, t[:, %r0 : +64], op=copy      $copied++
;= @scalar  Activation      u, t[:, %r0 : +64], op=copy   $written >= 1   $copied++
@sync    DmaCopy         Y, u            $copied >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
