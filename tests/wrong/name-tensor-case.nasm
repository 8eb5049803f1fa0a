.target trn1
.hbm A bf16[128, 128] input = zeros
.sbuf atile bf16[128, 128]
.sem s
@sync DmaCopy aTile, A  $s += 16
