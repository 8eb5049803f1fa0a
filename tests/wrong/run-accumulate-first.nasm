.target trn1
.hbm A bf16[128, 128] input = zeros
.sbuf a bf16[128, 128]
.psum acc f32[128, 128]
.sem loaded
@sync   DmaCopy a, A   $loaded += 16
@tensor LoadStationary a   $loaded >= 16
@tensor MultiplyMoving acc, a, accumulate=true
