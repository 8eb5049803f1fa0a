.target trn1
.hbm X f32[128, 4] output
.expect X ~ Y
.expect X == sigmoit(X)
.expect cycles(tenzor) <= 700
