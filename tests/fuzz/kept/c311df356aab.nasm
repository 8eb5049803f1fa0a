.target trn2
.sbuf  t  f32[16, 16]
.sem   s
@vector
    NcNGather   t, 1.0             ; vector
    Nop                 $s++    ; vector
@scalar  Nop    $s >= 1         ; scalar, this line only
 .sbuf  t  f32[16, 16]