.target trn1
.sbuf x f32[128, 512]
.sbuf i i32[128, 512]
.sbuf m f32[128, 8]
.sbuf at i32[128, 8]
@vector Memset i, 0.5
@vector Memset i, 2**40
@vector TensorTensor x, x, x, op=bitwise_and
@vector Max8 m, x
@vector MatchValueLoad m
@vector FindIndex8 at, x
