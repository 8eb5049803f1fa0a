.sbuf t f32[128, 4]
@vector Memset t, 0.0
