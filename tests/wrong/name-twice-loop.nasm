.target trn1
.for k in 0..3
.sbuf tile f32[128, 4]
.end
@sync Nop
