.target trn3
@tensor TensorCopy %r0
