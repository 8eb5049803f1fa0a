; deadlock: core 0 comes to two barriers, core 1 to one
.target trn2
.hbm   X  f32[1, 64]  output = zeros
.core  0
@gpsimd  CoreBarrier     X
@gpsimd  CoreBarrier     X
;-
.core  1
@gpsimd  CoreBarrier     X
