.target trn1
.sbuf t f32[128, 4]
.if t
@sync Nop
.end
.const N = t
.const S = t + 1
