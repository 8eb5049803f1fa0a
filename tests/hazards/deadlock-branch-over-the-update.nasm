; deadlock: a branch jumps over the update
.target trn2
.sem   done
@scalar
         RegisterMove    %r0, 1
         CompareBranch   %r0, 1, op=equal, target=over
;= CompareBranch   %r0, 2, op=equal, target=over
         EventSemaphore                                   $done++
over:    Nop
@sync    EventSemaphore                  $done >= 1
