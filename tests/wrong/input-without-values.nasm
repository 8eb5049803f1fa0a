.target trn1
.hbm A f32[128, 512] input
.sbuf a f32[128, 512]
.sem s
@sync DmaCopy a, A   $s += 16
