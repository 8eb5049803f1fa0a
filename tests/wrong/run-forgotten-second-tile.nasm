.target trn1
.hbm A f32[128, 512] input = iota
.hbm B f32[128, 512] input = iota
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
.sbuf c f32[128, 512]
.sem loaded
@sync   DmaCopy      a, A   $loaded += 16
@sync   DmaCopy      b, B   $loaded += 16
@vector TensorTensor c, a, b, op=add   $loaded >= 16
