.target trn2
.hbm A f32[128, 512] input = iota
.sbuf a f32[128, 512]
.sem loaded
@sync   DmaCopy a, A        $loaded += 16
@vector TensorCopy a, a     $loaded >= 20
