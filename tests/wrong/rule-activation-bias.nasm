.target trn1
.sbuf a f32[128, 512]
@scalar Activation a, a, op=relu, bias=1.0
@scalar Activation a, a, op=relu, bias=a
@scalar Activation a, a, op=exp, reduce_op=add
@scalar Activation a, a, op=exp, reduce_cmd=reset_reduce
