; AdamW on [ROWS, 2048] in float32, in pieces of 128 rows and 512 columns
;
; Sequential: run it with --autosync. For each 128 rows and 1,024 columns theta, m, v and g are loaded;
; each half is worked on by ten instructions, five of each of Scalar and Vector, and the new theta is
; stored. The last rows may be fewer than 128. Each engine begins a half before it ends the one before,
; so that neither waits for the other.
.target trn1
.const ROWS = 10944
.const HALVES = ceil_div(ROWS, 128) * 4, ROOT = 0.03162277660168379     ; of 0.001

.assert ROWS > 0, "ROWS must be at least 1, a row"

.hbm   THETA  f32[ROWS, 2048]  input = normal(seed=1)
.hbm   G      f32[ROWS, 2048]  input = normal(seed=2)
.hbm   MEAN   f32[ROWS, 2048]  input = normal(seed=3)
.hbm   VAR    f32[ROWS, 2048]  input = random(seed=1)
.hbm   NEW    f32[ROWS, 2048]  output
.for i in 0..3
.sbuf  theta{i}  f32[128, 1024]
.sbuf  mean{i}   f32[128, 1024]
.sbuf  var{i}    f32[128, 1024]
.sbuf  g{i}      f32[128, 1024]
.end
.for i in 0..2
.sbuf  new{i}      f32[128, 1024]
.sbuf  decayed{i}  f32[128, 512]    ; theta - 1e-5 theta
.sbuf  moment{i}   f32[128, 512]    ; 0.9 m + 0.1 g
.sbuf  second{i}   f32[128, 512]    ; 0.999 v + 0.001 g g
.sbuf  root{i}     f32[128, 512]    ; the root of 1000 times that
.sbuf  sum{i}      f32[128, 512]    ; and 1e-8
.sbuf  step{i}     f32[128, 512]    ; 0.01 moment / sum
.psum  scaled{i}   f32[128, 512] @ bank i
.psum  squared{i}  f32[128, 512] @ bank 2 + i
.psum  inverse{i}  f32[128, 512] @ bank 4 + i
.end
.sbuf  zero   f32[128, 1]
.sbuf  small  f32[128, 1]

@gpsimd  Memset  zero, 0.0
@gpsimd  Memset  small, 1e-8
.for h in 0..HALVES + 1
.if h < HALVES
.const t = h // 2, i = t % 3, row = t // 2 * 128, n = min(128, ROWS - row), left = h % 2 * 512, j = h % 2
.if j == 0
@sync    DmaCopy             theta{i}[0 : n], THETA[row : +n, t % 2 * 1024 : +1024]
@sync    DmaCopy             mean{i}[0 : n], MEAN[row : +n, t % 2 * 1024 : +1024]
@sync    DmaCopy             var{i}[0 : n], VAR[row : +n, t % 2 * 1024 : +1024]
@sync    DmaCopy             g{i}[0 : n], G[row : +n, t % 2 * 1024 : +1024]
.end
@scalar  Activation          scaled{j}[0 : n], mean{i}[0 : n, left : +512], op=copy, scale=0.9
@scalar  Activation          squared{j}[0 : n], g{i}[0 : n, left : +512], op=square, scale=ROOT, bias=zero[0 : n]
@vector  ScalarTensorTensor  second{j}[0 : n], var{i}[0 : n, left : +512], squared{j}[0 : n], op0=multiply, operand0=0.999, op1=add
@vector  ScalarTensorTensor  moment{j}[0 : n], g{i}[0 : n, left : +512], scaled{j}[0 : n], op0=multiply, operand0=0.1, op1=add
@vector  ScalarTensorTensor  decayed{j}[0 : n], theta{i}[0 : n, left : +512], theta{i}[0 : n, left : +512], op0=multiply, operand0=1e-5, op1=subtract, reverse1=true
.end
.if h > 0
.const b = (h - 1) // 2, k = (h - 1) % 2, top = b // 2 * 128, m = min(128, ROWS - top)
@scalar  Activation          root{k}[0 : m], second{k}[0 : m], op=sqrt, scale=1000.0, bias=zero[0 : m]
@scalar  Activation          sum{k}[0 : m], root{k}[0 : m], op=copy, bias=small[0 : m]
@scalar  Activation          inverse{k}[0 : m], sum{k}[0 : m], op=reciprocal
@vector  ScalarTensorTensor  step{k}[0 : m], moment{k}[0 : m], inverse{k}[0 : m], op0=multiply, operand0=0.01, op1=multiply
@vector  TensorTensor        new{b % 2}[0 : m, k*512 : +512], decayed{k}[0 : m], step{k}[0 : m], op=subtract
.if k == 1
@gpsimd  DmaCopy             NEW[top : +m, b % 2 * 1024 : +1024], new{b % 2}[0 : m]
.end
.end
.end
.expect  NEW ~ THETA - 1e-5 * THETA - 0.01 * (0.9 * MEAN + 0.1 * G) / (sqrt(1000 * (0.999 * VAR + 0.001 * G * G)) + 1e-8)  rtol=1e-4 atol=1e-5
