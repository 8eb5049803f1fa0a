.target trn1
.hbm Y i8[128, 64] output
.sbuf t f32[128, 64]
.sbuf q i8[128, 64]
.sem done, stored
@vector
Memset t, 1.0
Memset t[:, 3:5], 0.0
Reciprocal t, t
TensorCopy q, t   $done++
@sync DmaCopy Y[0:100], q[0:100]   $done >= 1   $stored += 16
@sync EventSemaphore   $stored >= 16
