.target trn1
.sbuf a f32[128, 4]
@scalar Activation a, a, op=ReLU
@scalar Activation a, a, op=sigmiod
@scalar Activation a, a, op=softmax
