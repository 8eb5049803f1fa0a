.target trn2
.hbm   X  f32[512, 64]  input = iota
.hbm   Y  f32[512, 64]  output[0]
.sbuf  x  f32[128, 4, 64]
.sem   loaded, doubled, stored

.loop k in 0..4
    @sync    DmaCopy       x[:, k, :], X[k*128 : +128, :]                  $loaded += 16
.end
@vector  EventSemaphore                                  $loaded >= 64
.loop k in 0..4
    @vector  TensorScalar  x[:, k, :], x[:, k, :], op0=multiply, operand0=2  give $doubled
    @scalar  EventSemaphore                              take $doubled
    @scalar  DmaCopy       Y[k*128 : +128, :], x[:, k, :]                  $stored += 16
.end
@scalar  EventSemaphore                                  $stored >= 64
.expect  Y == X * 2
