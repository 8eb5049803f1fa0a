; A line of a loop that breaks a rule in every round is told so once.
.target trn1
.for k in 0..4
.sbuf t{k} f32[64, 128] @ 48 : k*512
@vector Memset t{k}, 0.0
.end
