.target trn1
.sbuf a f32[128, 4]
@vector TensorTenzor a, a, a, op=add
@vector Frobnicate a
