.target trn1
.sbuf a f32[4, 4]
.sbuf c f32[4, 4]
.sbuf m f32[4, 1]
const N = 4
sbuf t f32[N, 4]
@vector Memset t, N
for k in 0..4
    @vector Memset c, k
.end
if N == 4
    @vector Memset c, N
.end
end
