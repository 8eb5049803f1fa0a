.target trn1
.sem ready
@vector $ready >= 1
