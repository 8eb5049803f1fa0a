.target trn2
.hbm   A      bf16[128, 8] input = random(seed=1)
.sbuf  a      bf16[128, 8]
.hbm   b_in   bf16[128, 8] input = random(seed=1)

.sem ready
@sync DmaCopy b, b_in $ready += 16
@tensor EventSemaphore $ready >= 16
@tensor DmaCompute a, [A, b], reduce_op=add
