; Transposes by the Tensor engine: a tile passes through the array, and an identity says where its rows go.

; identity(unit): ones on the diagonal, zeros elsewhere.
;   unit  SBUF [P, P], P <= 128; of the dtype of what it is to transpose
;   done  posts done when it is complete
; Cost: a Memset on Vector, 150 + P cycles of GpSimd; once for a program.
.macro identity(unit, done=done)
    .const P = shape(unit, 0)
    .assert shape(unit, 1) == P, "identity: unit is as wide as it has partitions"
    @vector  Memset        unit, 1.0                                              post ones
    @gpsimd  AffineSelect  unit, unit, [[-1, P]], 1, 0.0, cmp_op=equal    after ones    post done
.end

; transpose(dst, src, unit, turned): dst = src.T; from v3 on bit for bit.
;   dst     SBUF [N, P]
;   src     SBUF [P, N], P and N <= 128. On v2 it is multiplied with the identity: finite values only
;   unit    SBUF [P, P] or larger, an identity of the dtype of src
;   turned  PSUM [N, P] of the dtype of src
;   ready   comes after these: src and unit are there, and nobody reads what turned held
;   free    comes after these: nobody reads what dst held
;   done    posts done when dst is complete, and turned may be overwritten
;   eng     vector, or from v3 on scalar, which takes it out of PSUM
; Cost: max(64, P) cycles of Tensor in bfloat16, and a copy of P columns.
.macro transpose(dst, src, unit, turned, ready=[], free=[], done=[], eng=vector)
    .const P = shape(src, 0), N = shape(src, 1)
    .assert N <= 128, "transpose: src is at most 128 wide; take more of them for a wider one"
    .assert shape(dst, 0) == N and shape(dst, 1) == P and shape(turned, 0) == N and shape(turned, 1) == P, "transpose: dst and turned are [N, P] for src [P, N]"
    .assert dtype(unit) == dtype(src) and dtype(turned) == dtype(src), "transpose: unit and turned have the dtype of src"
    @tensor  LoadStationary  src, is_transpose=true          after ready
    @tensor  MultiplyMoving  turned, unit[0:P, 0:P], is_transpose=true           post passed
    @eng     TensorCopy      dst, turned                     after passed, free  post done
.end

; transpose_tiles(dst, src, unit, turned): a wide tile, 128 columns at a time.
;   dst     SBUF [128, T, P]: dst[:, t] = src[:, t*128 : +128].T, the layout that matmul wants
;   src     SBUF [P, T * 128]
;   turned  PSUM [128, B, P] of the dtype of src: B tiles are under way at a time
;   ready, free, done as those of transpose; done[t] for each t
;   trail   the moments of its own copies: calls that share `turned` share a name, and say with
;           `at` how many tiles there were before
.macro transpose_tiles(dst, src, unit, turned, ready=[], free=[], done=[], trail=trail, at=0, eng=vector)
    .const T = shape(src, 1) // 128, B = shape(turned, 1)
    .assert shape(src, 1) == T * 128 and shape(dst, 1) == T, "transpose_tiles: src is [P, T * 128] for dst [128, T, P]"
    .for t in 0..T
        .const n = at + t
        transpose(dst[:, t], src[:, t*128 : +128], unit, turned[:, n % B], [ready, trail[n - B]], free, [trail[n], done[t]], eng)
    .end
.end
