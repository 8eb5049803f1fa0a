; A misspelt choice of engine is one mistake, not one per line that follows.
.target trn1
.sbuf t f32[128, 4]
.sbuf u f32[128, 4]
@vectr
Memset t, 0.0
TensorCopy u, t
@sync
Nop
