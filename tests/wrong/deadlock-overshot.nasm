.target trn1
.hbm A f32[128, 512] input = iota
.sbuf a f32[128, 512]
.sem loaded
@sync   DmaCopy a, A   $loaded += 16
@sync   DmaCopy a, A   $loaded += 16
@vector Nop   $loaded >= 32
@vector Nop   $loaded == 16
