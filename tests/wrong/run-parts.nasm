.target trn1
.hbm A f32[128, 512] input = iota
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
.sem s
.for i in 0..4
@gpsimd Memset a[:, i*64 : +64], 1.0   $s++
.end
@sync   DmaCopy a[:, 256:512], A[:, 256:512]   $s += 16
@vector TensorCopy b, a   $s >= 4
