.target trn1
.hbm A f32[128, 512] output
.sbuf a f32[128, 512]
.sem filled, stored
@vector Memset  a, 1.0   $filled++
@sync   DmaCopy A, a     $filled >= 1  $stored += 16
@gpsimd Nop              $filled >= 1
@gpsimd Memset  a, 2.0
