.target trn1
.sbuf weights f32[128, 4]
.sbuf c f32[128, 4]
@vector TensorCopy c, weigths
@vector TensorCopy c, input
