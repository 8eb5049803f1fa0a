.target trn2
.sem filled
@vector
        RegisterMove   %r0, 4
again:  RegisterAlu    %r0, %r0, 1, op=subtract
        CompareBranch  %r0, 2, op=equal, target=skip
        EventSemaphore $filled++
skip:   CompareBranch  %r0, 0, op=greater, target=again
@scalar Nop  $filled >= 4
