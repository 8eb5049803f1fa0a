.target trn1
@vector again: Nop
