.target trn1
.sbuf  t  f32[128, 4]
.macro fill(x, value=0.0, width=shape(x, 1))
@vector  Memset  x[:, 0:width], value
.end
.macro both(x, value=0.0)
fill(x, value)
.end
fill()
fill(t, with=3)
fill(t, valeu=3)
fill(t, 1, 2, 3)
fill(t, value=1, 2)
fill(t, 1, value=2)
fill(t, $done)
fill(t, eng=@vectr)
@vector  fill (t)
@vector  Memset(t)
fil(t)
.macro fill(y)
.end
.macro twice(a, a)
.end
.macro order(a=1, b)
.end
.sbuf  @export  u  f32[128, 4]
