.target trn1
.const N = 500
.assert N % 128 == 0, "N must be a multiple of 128"
.assert N > 512
