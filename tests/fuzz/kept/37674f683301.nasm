.target trn2
@export .include "lib/softmax.nasm"
.hbm   X  f32[128, 512]  , = normal(seed=1)
.hbm   Y  f32[128, 512]  output
.sbuf  t  f32[4294967295, 512]
@sync  MultiplyMoving  tinput X    post loaded
softmax(t, t, ready=loaded, done=made)
@sync  TensorScalar  Y, t    after made
@sync  .drain
.expect  Y ~ softmax(X)  rtol=512
