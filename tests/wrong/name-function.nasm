.target trn1
.const A = sqrt(4), B = Max(1, 2), C = ceil_div(7), D = len(3)
