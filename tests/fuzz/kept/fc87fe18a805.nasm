.target trn2
.sbuf  xs  f32[128, 64],.sbuf  xs  f32[128, 64]
.view  sorted = xs[:, 0:8]
.view  rest   = xs[:, 8:64]
@vector  Memset  sorted, 1.0
@vector  Memset  rest,@vector  Memset  rest, 0.0
.expect  sorted == 1
.expect  sum(xs, axis=1) == 8
