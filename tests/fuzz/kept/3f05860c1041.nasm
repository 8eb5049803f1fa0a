.target trn1
.hbm   A      bf16[128, 128]input = random(seed=1)
.sbuf  a      bf16[128, 128]
@tensor DmaCopy a, A
