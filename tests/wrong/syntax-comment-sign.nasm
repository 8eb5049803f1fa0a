.target trn1
@sync Nop   # wait a little
@sync Nop   // and again
