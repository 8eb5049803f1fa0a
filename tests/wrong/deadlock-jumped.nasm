.target trn2
.hbm N i32[1] input = zeros
.sem filled
@vector
        TensorLoad     %r0, N[0:1]
        CompareBranch  %r0, 0, op=equal, target=done
        EventSemaphore $filled++
done:   Nop
@scalar Nop  $filled >= 1
