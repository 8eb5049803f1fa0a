.target trn1
.hbm Y f32[128, 512] output
.hbm Z f32[128, 64] output
.hbm X f32[64] output = zeros
.sbuf t f32[128, 512]
.sem done, stored
@vector Memset t, 1.0   $done++
.for i in 0..3
@sync DmaCopy Y[:, i*128 : +64], t[:, i*128 : +64]   $done >= 1   $stored += 16
.end
@sync EventSemaphore   $stored >= 48
