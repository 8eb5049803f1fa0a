.target trn1
.sbuf t f32[128, 4]
@vector TensorCopy t, 0.0
@vector Memset t, t
@vector TensorReduce t[:, 0:1], t, op=add, axis=one
@vector TensorReduce t[:, 0:1], t, op=add, axis=1, negate=yes
@vector TensorReduce t[:, 0:1], t, op=add, axis=1, negate=1
@vector RegisterMove t, 1
@vector RegisterMove %r64, 1
@vector RegisterMove %r1, 1.5
@vector DmaTrigger t
@vector CompareBranch target=3
