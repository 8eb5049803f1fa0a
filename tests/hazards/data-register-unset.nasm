; data: the loop counts in a register that nothing has set
.target trn2
@scalar
;+          RegisterMove    %r0, 0
again:   RegisterAlu     %r0, %r0, 1, op=add
         CompareBranch   %r0, 3, op=less, target=again
