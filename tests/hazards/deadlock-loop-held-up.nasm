; deadlock: one of five rounds has posted, and the loop waits for who waits for all
.target trn2
.sem   done, go
@scalar
         RegisterMove    %r0, 0
again:   EventSemaphore                                   $done++
         EventSemaphore                  $go >= 1
;-
         RegisterAlu     %r0, %r0, 1, op=add
         CompareBranch   %r0, 5, op=less, target=again
@sync    EventSemaphore                  $done >= 5       $go++
