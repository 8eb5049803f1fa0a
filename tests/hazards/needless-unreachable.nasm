; needless: the branch is always taken
.target trn2
@scalar
         RegisterMove    %r0, 1
         CompareBranch   target=end
;= CompareBranch   %r0, 1, op=equal, target=end
         Nop
end:     Nop
