.target trn2
.sbuf t f32[128, 64]
.sem filled, more
@vector
        RegisterMove   %r0, 5
again:  Memset         t, 1.0                     $filled++
        EventSemaphore $more >= 1
        RegisterAlu    %r0, %r0, 1, op=subtract
        CompareBranch  %r0, 0, op=greater, target=again
@gpsimd TensorCopy t, t    $filled >= 5
