.target trn3
.sbuf a f32[128, 64]
.sbuf wide f32[128, 2, 64]
.sbuf i u16[128, 4]
.sbuf j i32[64, 1]
.sbuf f f32[128, 4]
.sbuf c f32[128, 64]
.hbm  A f32[512, 64]
@vector TensorCopy c, A.indirect(i)
@vector TensorCopy c, a[:, ::2].indirect(i)
@vector TensorCopy c, a.indirect(j)
@vector TensorCopy c, a.indirect(f)
@vector TensorCopy c, a.indirect(i, num_elem=513)
@vector TensorCopy c, a.indirect(A)
@vector TensorCopy c, a.indirect(i)[:, 0:4]
@vector TensorCopy c, a.indirect(i).reshape(128, 8, 64)
@vector TensorCopy c, a.indirect(5)
@gpsimd DmaCopy c, A.ap([[64, 128], [1, 64]], vector_offset=i, scalar_offset=%r1)
@gpsimd DmaCopy c, A.ap([[64, 128], [1, 64]], vector_offset=j)
@gpsimd DmaCopy c, A.ap([[64, 128], [1, 64]], vector_offset=i, indirect_dim=1)
@gpsimd DmaCopy c, A.ap([[64, 128], [1, 64]], scalar_offset=%r1, indirect_dim=2)
@gpsimd DmaCopy c, A.ap([[64, 128], [1, 64]], scalar_offset=i, indirect_dim=0)
@gpsimd DmaCopy A[0:128], a.ap([[64, 128], [1, 64]], vector_offset=i)
@vector TensorCopy c, a.ap([[64, 128], [1, 64]], scalar_offset=j[0:1], indirect_dim=0)
@vector TensorCopy c, a.ap([[64, 128], [1, 64]], offset=1, scalar_offset=%r1, indirect_dim=1)
