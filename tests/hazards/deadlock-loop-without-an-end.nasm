; deadlock: no register of the loop's condition changes
.target trn2
@scalar
         RegisterMove    %r0, 0
         RegisterMove    %r1, 0
again:   RegisterAlu     %r1, %r1, 1, op=add
;= again:   RegisterAlu     %r0, %r0, 1, op=add
         CompareBranch   %r0, 5, op=less, target=again
