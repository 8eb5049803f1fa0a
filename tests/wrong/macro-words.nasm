.target trn1
.sbuf  tile  f32[128, 4]
.sem   done
.macro act(x, y, op=rulu, s=$done)
    .sbuf  t  f32[128, 4]
    @scalar  Activation  t, x, op=op         $s++
    @scalar  Activation  y, t, op=relu
    @scalar  Activation  y, s, op=relu
.end
act(tile, tlie)
act(tile, tile, s=done)
act(t, tile, op=relu)
