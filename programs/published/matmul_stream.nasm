; COUNT matmuls of one shape for each of four sections: [K,M] stationary, [K,N] moving, bfloat16.
; One tile of each operand is loaded, every matmul loads its stationary tile, and results go to one
; PSUM tile a section, each overwriting the last. At the end the tile of the last section is stored.
.target trn2
.const COUNT = 512, SHORT = 0
.assert COUNT > 0, "COUNT must be at least 1, the matmuls of a section"

.hbm   A  bf16[128, 128]  input = normal(seed=1)
.hbm   B  bf16[128, 512]  input = normal(seed=2)
.hbm   C  bf16[128, 512]  output
.sbuf  a  bf16[128, 128]
.sbuf  b  bf16[128, 512]
.sbuf  c  bf16[128, 512]
.for i in 0..4
.psum  acc{i}  f32[128, 512] @ bank i
.end
.sem   loaded, multiplied, copied, stored

@sync  DmaCopy  a, A  $loaded += 16
@sync  DmaCopy  b, B  $loaded += 16

; With SHORT the first three sections have one side that is short: M, N and K.
@tensor
    EventSemaphore  $loaded >= 32
.for section in 0..4
.const M = 32 + 96 * max(1 - SHORT, min(1, section))
.const N = 64 + 448 * max(1 - SHORT, min(1, abs(section - 1)))
.const K = 32 + 96 * max(1 - SHORT, min(1, abs(section - 2)))
.for i in 0..COUNT
    LoadStationary  a[0 : K, 0 : M]
    MultiplyMoving  acc{section}[0 : M, 0 : N], b[0 : K, 0 : N]
.end
.end
    EventSemaphore  $multiplied++

@vector  TensorCopy  c, acc3   $multiplied >= 1   $copied++
@sync    DmaCopy     C, c      $copied >= 1       $stored += 16
@sync    EventSemaphore        $stored >= 16

.expect  C ~ A.T @ B   rtol=1e-2 atol=1e-2
