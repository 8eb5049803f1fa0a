; A hazard in a loop names the round it happened in, and is said once.
.target trn1
.hbm A f32[128, 2048] input = iota
.sbuf t f32[128, 2048]
.sbuf u f32[128, 2048]
.sem loaded
@sync DmaCopy t, A   $loaded += 16
@vector
.for k in 0..2
.for j in 0..2
TensorCopy u[:, j*64 : +64], t[:, k*64 : +64]
.end
.end
