.target trn1
.const N = 4
.assert 0 < N < 8, "N is small"
