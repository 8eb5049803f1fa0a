.target trn2
.hbm   a_in   bf16[128, 8] input = random(seed=1)
.sbuf  a      bf16[128, 8]
.hbm   b_in   bf16[128, 8] input = random(seed=1)
.sbuf  b      bf16[128, 8]
.psum  acc    float8_e8m0fnu[128, 8]
.sem ready
@sync DmaCopy a, a_in $ready += 16
@sync DmaCopy b
@tensor EventSemaphore $ready >= 32
@tensor LoadStationary a
@tensor MultiplyMoving acc, b
