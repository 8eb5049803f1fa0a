.target trn1
.const A = 1 / 0, B = 2 ** 10**9, C = 1.5 << 2, D = 1 + true, E = "a" + 1, F = log2(0), G = 1 << -1
.const H = 1 << 10**9
