.target trn1
@sync
again: Nop
RegisterMove %r0, 3
CompareBranch %r0, 0, op=greater, target=agian
