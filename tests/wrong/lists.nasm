; -D N=4
.target trn2
.const N = [1, 2], L = [5, 6], DT = f32, K = 3
.sbuf  t  K[128, 8]
.sbuf  u  {DT}[128, 8]
@vector  Memset  u, L[2]
@vector  Memset  u, L[0, 1]
@vector  Memset  u, 1 if L else 2
@vector  Memset  u, len(u)
.for e in K
    @vector  Memset  u, e
.end
@vector  Memset  u,
