.target trn2
.hbm S f32[2, 8]
@vector CoreBarrier S
@vector CoreBarrier S
.core 1
@vector CoreBarrier S
