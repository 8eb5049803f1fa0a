.target trn3
.hbm   A      bf16[128, 9] input = random(seed=1)
.core 1
@tensor CoreBarrier A
.core 129
@tensor CoreBarrier A
