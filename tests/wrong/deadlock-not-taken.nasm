.target trn2
.sem filled
@vector
        RegisterMove   %r0, 3
        CompareBranch  %r0, 4, op=equal, target=fill
        CompareBranch  target=done
fill:   EventSemaphore $filled++
done:   Nop
@scalar Nop  $filled >= 1
