; Y = highest of each 2 x 2 of a convolution of X with W; this computes the middle of the filter
.target trn2
.const BLOCKS = 4
.hbm   X    bf16[128, 66, 34]        input = normal(seed=1)
.hbm   W    bf16[3, 3, 128, 128]     input = normal(seed=2)
.hbm   Y    f32[128, 32, 16]         output
.sbuf  x    bf16[128, 66, 34]
.sbuf  w    bf16[128, 3, 3, 128]
.for b in 0..2
.psum  acc{b}   f32[128, 16, 32]
.sbuf  wide{b}  f32[128, 16, 16]
.end
.sbuf  y    f32[128, 32, 16]

@scalar  DmaCopy  w, W.permute(2, 0, 1, 3)
@sync    DmaCopy  x, X
.for b in 0..BLOCKS
@tensor  LoadStationary  w[:, 1, 1]
@tensor  MultiplyMoving  acc{b % 2}, x[:, b*16 + 1 : +16, 1 : +32]
@vector  TensorCopy      y[:, b*8 : +8], acc{b % 2}[:, 0 : +8, 0 : +16]
@sync    DmaCopy         Y[:, b*8 : +8], y[:, b*8 : +8]
.end
; your part: the other eight places, and the pooling
