.target trn2
.hbm A f32[128, 512] input = zeros
.sbuf a bf16[128, 512]
.sem s
@sync DmaCopy a, A, dge_mode=hwdge  $s += 16
@vector DmaCopy a, A, dge_mode=hwdge  $s += 16
