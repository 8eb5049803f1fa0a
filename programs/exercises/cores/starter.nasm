; Y = X / 2 on core 0 alone
.target trn2
.hbm   X  f32[256, 4096]  input = iota
.hbm   Y  f32[256, 4096]  output

.for h in 0..2
.sbuf  x{h}  f32[128, 4096]
@sync    DmaCopy       x{h}, X[h*128 : +128]   post loaded[h]
@vector  TensorScalar  x{h}, x{h}, op0=multiply, operand0=0.5   after loaded[h]   post halved[h]
@sync    DmaCopy       Y[h*128 : +128], x{h}                    after halved[h]
.end
@sync    .drain
