.target trn2
.const N = 8
.hbm   A  f32[N, 128, 64]  input = iota
.hbm   O  f32[N, 128, 64]  output
.for n in 0..2
.sbuf  in{n}   f32[128, 64]
.sbuf  out{n}  f32[128, ]
.end
.for r in 0..N
@sync    DmaCopy     in{r % 2}, A[r]                  after in_free[r - 2] if r >= 2                  post in_loaded[r]
@scalar  Activation  out{r % 2[, in{r % 2}, op=relu   after in_loaded[r], out_free[r - 2] if r >= 2   post out_ready}r]  post in_free[r]
@gpsimd  DmaCopy     O[r], out{r % 4}                 after out_ready[r]                              post out_free[r]
.end
@gpsimd  .drain
.expect  O ~ A
