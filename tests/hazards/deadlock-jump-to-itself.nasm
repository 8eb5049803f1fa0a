; deadlock: a branch that always jumps to itself
.target trn2
@scalar
         RegisterMove    %r0, 0
again:   CompareBranch   %r0, 1, op=less, target=again
;= again:   CompareBranch   %r0, 0, op=less, target=again
