; C = A.T @ B with K = 512 in one matmul: Vector quantises two bf16 tiles to MXFP8, Tensor multiplies them
.target trn3
.const P = 128, M = 128, N = 512

.hbm   A      bf16[4 * P, M]  input = random(seed=1)
.hbm   B      bf16[4 * P, N]  input = random(seed=2)
.hbm   C      f32[M, N]       output
.sbuf  rawa   bf16[P, 4, M]
.sbuf  rawb   bf16[P, 4, N]
.sbuf  a      bf16[P, M, 4]              ; rows k, k + 128, k + 256, k + 384 stand side by side
.sbuf  b      bf16[P, N, 4]
.sbuf  ax     float8_e4m3fn_x4[P, M]     ; four values in an element
.sbuf  bx     float8_e4m3fn_x4[P, N]
.sbuf  scale  e8m0[P, N]                 ; of both: A's on partitions 0 to 3 of each quadrant, B's on 4 to 7
.sbuf  c      f32[M, N]
.psum  acc    f32[M, N]

.for q in 0..4
@sync    DmaCopy     rawa[:, q], A[q*P : +P]                           post a[q]
@sync    DmaCopy     rawb[:, q], B[q*P : +P]                           post b[q]
.end
@scalar  TensorCopy  a, rawa.permute(0, 2, 1)       after a[0], a[1], a[2], a[3]   post moved
@vector  TensorCopy  b, rawb.permute(0, 2, 1)       after b[0], b[1], b[2], b[3]
@vector
    QuantizeMX        ax, a, scale[:, 0:M]          after moved        post scaled_a
    QuantizeMX        bx, b, scale[4:P]                                post scaled_b
@tensor
    LoadStationaryMX  ax, scale[:, 0:M]             after scaled_a
    MultiplyMovingMX  acc, bx, scale[4:P]           after scaled_b     post multiplied
@vector  TensorCopy  c, acc                         after multiplied   post copied
@sync    DmaCopy     C, c                           after copied
@sync    .drain

; Three mantissa bits are off by a sixteenth at most, and over 512 products that evens out
.expect  C ~ A.T @ B   rtol=2e-2
