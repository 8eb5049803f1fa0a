.target trn1
@sync
again: RegisterAlu %r0, %r0, 1, op=subtract
CompareBranch %r0, 0, op=greater, target=again
