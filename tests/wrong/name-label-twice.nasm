.target trn1
@sync
again: Nop
again: Nop
CompareBranch target=again
