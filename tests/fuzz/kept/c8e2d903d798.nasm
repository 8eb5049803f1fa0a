.target trn2
.hbm   a_in   bf16[128, 128] input = random(seed=1)
.sbuf  a      bf16[128, 128]
.sbuf  c      f32[128, 128]
.sbuf  m      f32[1, 1]
.h
bm   low_in float8_e5m2_x4[128, 1] input = random(seed=1)
[.sbuf  low    float8_e5m2_x4[128, 1]]
.hbm   high_in float8_e5m2_x4[128, 128] input = random(seed=1)
.sbuf  high   float8_e5m2_x4[128, 1](q, q=1)
.sem ready
@sync DmaCopy a, a_in $ready += 16
@sync DmaCopy low, low_in $ready += 16
@sync DmaCopy high, high_in $ready += 16
@t0 RMWCIB2 Mask=0xf0, NewValue=0x50, Index4=76
