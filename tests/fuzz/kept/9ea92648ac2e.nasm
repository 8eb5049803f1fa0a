.target trn2
.hbm   n      i32[1] input = [5]
@tensor RegisterMove %r1, 2147483648
@tensor TensorStore n, %r1
