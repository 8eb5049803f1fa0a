.target trn1
.hbm A f32[128, 512] input = zeros
.sbuf a f32[128, 512]
.sbuf h f32[128, 256]
.psum p f32[128, 512]
.sem s
@sync DmaCopy a, A, dge_mode=hwdge  $s += 16
@sync DmaCopy h, A  $s += 16
@sync DmaCopy p, A  $s += 16
@sync DmaCopy a, A, queue=16  $s += 16
@vector TensorCopy a, A
