.target trn2
.sbuf  t0  bfloat16[128, 64]
.sbuf  t1  f32[128, 64]
@vector .loop k in 0..64 step 2
.for i in 0..2
    Memset  t{(k + i) % 2}[:, k + i], i
.end
.end
.expect  t1[:, 1] == 1
