.target trn1
.sbuf t f32[128, 4]
.sem loaded, stored
@vector Memset t, 0.0  $load >= 1  $stored++
@sync Nop  $ready >= 1
