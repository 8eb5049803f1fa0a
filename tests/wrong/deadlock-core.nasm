.target trn2
.hbm  S  f32[2, 8]
.sem  stored
@gpsimd CoreBarrier S     $stored++
@vector Nop               $stored >= 1
.core 1
.sem  full
@vector Nop               $full >= 2
@vector CoreBarrier S
