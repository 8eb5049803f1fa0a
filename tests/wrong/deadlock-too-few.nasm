.target trn1
.hbm A f32[128, 512] input = iota
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
.sem loaded
@sync   DmaCopy    a, A   $loaded += 16
@vector TensorCopy b, a   $loaded >= 32
