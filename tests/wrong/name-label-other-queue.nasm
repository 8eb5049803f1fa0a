.target trn1
@vector
again: Nop
@sync
RegisterMove %r0, 3
CompareBranch %r0, 0, op=greater, target=again
