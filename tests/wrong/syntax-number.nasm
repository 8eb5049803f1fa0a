.target trn1
.const SCALE = .5, HALF = 1., SIZE = 0x1G
