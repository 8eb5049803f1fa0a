.target trn2
.include "lib/softmax.nasm"
.hbm   X  f32[128, 512]  , = normal(seed=1)
.hbm   Y  f32[128, 512]  output
.sbuf  t  f32[4294967295, 512]
@sync  DmaCopy  tinput X    post loaded
softmax(t, t, ready=loaded, done=made)
@sync  DmaCopy  Y, t    after made
@sync  .drain
.expect  Y ~ softmax(X)  rtol=512
