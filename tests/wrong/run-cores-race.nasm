.target trn2
.hbm  S  f32[128, 8]
.sbuf t  f32[128, 8] = zeros
.sem  stored
@gpsimd DmaCopy S, t               $stored += 16
@gpsimd EventSemaphore  $stored >= 16
.core 1
.sbuf u  f32[128, 8]
.sem  loaded
@gpsimd Nop
@gpsimd DmaCopy u, S               $loaded += 16
@gpsimd EventSemaphore  $loaded >= 16
