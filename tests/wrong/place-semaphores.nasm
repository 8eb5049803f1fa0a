.target trn1
.sem a = 7, b = 7
.sem c = 256
.sem d = 1.5
.for k in 0..300
.sem s{k}
.end
