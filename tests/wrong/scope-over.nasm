.target trn2
.hbm   O  f32[128, 64]  output
.scope
    .sbuf  a  f32[128, 64]
    .sbuf  z  f32[128, 64]  = zeros
    @vector  Memset  a, 1.0
.end
@sync  DmaCopy  O, a
.expect  a == 1
