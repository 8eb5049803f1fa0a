.target trn1
.sbuf x f32[128, 512]
.sem ready
@vector Memset x, 0.0   $ready++
@scalar Activation x, x, op=exp, reduce_op=add, reduce_cmd=reduce   $ready >= 1
