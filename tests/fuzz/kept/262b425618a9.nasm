.end
.if 1 == 1
.target trn3
@tensor TensorCopy %r0
.else
.target trn3
@tensor TensorCopy %r0
.end
