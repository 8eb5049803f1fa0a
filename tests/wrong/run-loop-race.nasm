.target trn1
.hbm A f32[2, 128, 2048] input = iota
.sbuf t f32[128, 2048]
.sbuf sum f32[128, 2048]
.sem loaded
@sync
.for k in 0..2
DmaCopy t, A[k]   $loaded += 16
.end
@vector
.for k in 0..2
TensorCopy sum, t   $loaded >= 16 * (k + 1)
.end
