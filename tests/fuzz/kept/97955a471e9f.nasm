.target trn3
.hbm   a_in   bf16[128, 8] input = random(seed=1)
.sbuf  a      bf16[128, 8]
.hbm   d_in   bf16[128, 8] input = normal(seed=3)
.sbuf  d      bf16[128, 8]
.sem ready
@sync DmaCopy d, d_in $ready += 16
@sync DmaCopy a, a_in $ready += 16
@vector EventSemaphore $ready >= 32
@vector LoadMaskRegister [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
@vector Shuffle d, a
