.target trn1
.sbuf t f32[128, 4]
.hbm t f32[128, 4] input = zeros
.sem t
.const t = 4
.for t in 0..2
@sync Nop
.end
