; C[M,N] = A.T @ B in float32: blocks of A stay, B streams past each of them
;
; Sequential: run it with --autosync. For each block of 1,024 columns of A its KT tiles are loaded, and for each piece of 1,024 columns of
; B the KT tiles of that piece. Each of the 8 x 2 results of a piece is a group of KT products, which
; Scalar copies out of PSUM; GpSimd stores rows of 1,024. The last piece has fewer columns, but more
; than 512. Its products have 512 columns like all others: what they read after its end is a part of
; an earlier piece, and is not copied.
.target trn1
.const M = 4096, N = 10944, KT = 16, RING = 24
.const BLOCKS = M // 1024, PIECES = ceil_div(N, 1024)

.assert M > 0 and M % 1024 == 0, "M must be a multiple of 1024, the columns of a block of A"
.assert N % 1024 == 0 or N % 1024 > 512, "the last piece of B must have more than 512 columns"
.assert RING >= KT and RING <= KT * (PIECES - 1), "RING must hold a piece, and not all but the last"

.hbm   A  f32[128, KT, M]  input = normal(seed=1)
.hbm   B  f32[128, KT, N]  input = normal(seed=2)
.hbm   C  f32[M, N]        output
.for i in 0..KT
.sbuf  a{i}  f32[128, 1024]
.end
.for i in 0..RING
.sbuf  b{i}  f32[128, 1024]
.end
.for i in 0..2
.sbuf  c{i}  f32[128, 1024]
.end
.for i in 0..8
.psum  acc{i}  f32[128, 512] @ bank i
.end

.for block in 0..BLOCKS
.for i in 0..KT
@sync    DmaCopy         a{i}, A[:, i, block*1024 : +1024]
.end
.for piece in 0..PIECES
.const t = block * PIECES + piece, width = min(1024, N - piece * 1024)
.for i in 0..KT
@sync    DmaCopy         b{(t * KT + i) % RING}[:, 0 : width], B[:, i, piece*1024 : +width]
.end
.for m in 0..8
.const row = t * 8 + m
.for half in 0..ceil_div(width, 512)
.const bank = (row * 2 + half) % 8, columns = min(512, width - half * 512)
.for i in 0..KT
@tensor  LoadStationary  a{i}[:, m*128 : +128]
@tensor  MultiplyMoving  acc{bank}, b{(t * KT + i) % RING}[:, half*512 : +512], accumulate=(i > 0)
.end
@scalar  Activation      c{row % 2}[:, half*512 : +columns], acc{bank}[:, 0 : columns], op=copy
.end
@gpsimd  DmaCopy         C[block*1024 + m*128 : +128, piece*1024 : +width], c{row % 2}[:, 0 : width]
.end
.end
.end
