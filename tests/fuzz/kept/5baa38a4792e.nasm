.target trn3
.hbm   a_in   bf16[128, 8] input = random(seed=1)
.sbuf  a      bf16[128, 8]

.sbuf  d      bf16[128, 8]
.hbm   mask_in u8[128, 8] input = iota
.sbuf  mask   u8[128, 8]
.sem ready
@sync DmaCopy d, d_in $ready += 16
@sync DmaCopy a, a_in $ready += 16
@sync DmaCopy mask, mask_in $ready += 16
@vector EventSemaphore $ready >= 48
 a, mask
