.target trn3
.sbuf a f32[128, 64]
.sbuf i u16[128, 4]
.sbuf c f32[128, 64]
@vector TensorCopy c, a.indirect(i)
