.target trn2
.sbuf t f32[128, 64]
@vector
        RegisterMove   %r0, 5
again:  Memset         t, 1.0
        RegisterAlu    %r0, %r0, 1, op=subtract
        CompareBranch  %r0, 0, op=less_equal, target=done
done:   Nop
        CompareBranch  target=again
