; Sixteen tiles of [128,F] bfloat16 from HBM to SBUF and back: four without descriptors to make, four
; with those of GpSimd, four with those of the hardware, four left to the compiler. Beside them four
; tiles of [16,128] that are transposed on the way in, transposed again in SBUF, and stored.
; Every tile has a place of its own in SBUF, and every queue of transfers a ring of its own.
.target trn2
.const F = 512, EACH = 4

.hbm  X  bf16[128, 4 * EACH * F]  input = normal(seed=1)
.hbm  Y  bf16[128, 4 * EACH * F]  output
.hbm  Z  bf16[EACH, 16, 128]      output

.sbuf  static    bf16[128, EACH * F]
.sbuf  software  bf16[128, EACH * F]
.sbuf  hardware  bf16[128, EACH * F]
.sbuf  unknown   bf16[128, EACH * F]
.for i in 0..EACH
.sbuf  flipped{i}  bf16[128, 16]
.sbuf  back{i}     bf16[16, 128]
.sem   in_static{i}, in_software{i}, in_hardware{i}, in_unknown{i}, turned{i}, returned{i}
.end
.sem   stored

; Sync loads what needs no descriptors and what the hardware makes them for.
@sync
.for i in 0..EACH
    DmaCopy  static[:, i*F : +F], X[:, i*F : +F], dge_mode=none  $in_static{i} += 16
.end
.for i in 0..EACH
.const from = (2*EACH + i) * F
    DmaCopy  hardware[:, i*F : +F], X[:, from : +F], dge_mode=hwdge  $in_hardware{i} += 16
.end
.for i in 0..EACH
    DmaTranspose  flipped{i}, X[0:16, i*128 : +128]  $turned{i} += 16
.end
.for i in 0..EACH
    DmaTranspose  back{i}, flipped{i}  $turned{i} >= 16  $returned{i} += 16
.end
.for i in 0..EACH
    DmaCopy  Z[i], back{i}, dge_mode=none  $returned{i} >= 16  $stored += 16
.end
    EventSemaphore  $stored >= 16 * 5 * EACH

; GpSimd makes descriptors, the compiler's choice among them, and stores what needs none.
@gpsimd
.for i in 0..EACH
.const from = (EACH + i) * F
    DmaCopy  software[:, i*F : +F], X[:, from : +F], queue=1  $in_software{i} += 16
.end
.for i in 0..EACH
.const from = (3*EACH + i) * F
    DmaCopy  unknown[:, i*F : +F], X[:, from : +F], queue=1   $in_unknown{i} += 16
.end
.for i in 0..EACH
    DmaCopy  Y[:, i*F : +F], static[:, i*F : +F], dge_mode=none, queue=1  $in_static{i} >= 16  $stored += 16
.end
.for i in 0..EACH
.const to = (EACH + i) * F
    DmaCopy  Y[:, to : +F], software[:, i*F : +F], queue=1  $in_software{i} >= 16  $stored += 16
.end
.for i in 0..EACH
.const to = (3*EACH + i) * F
    DmaCopy  Y[:, to : +F], unknown[:, i*F : +F], queue=1   $in_unknown{i} >= 16   $stored += 16
.end

; Scalar has the other block that makes descriptors, and stores what Sync's loads.
@scalar
.for i in 0..EACH
.const to = (2*EACH + i) * F
    DmaCopy  Y[:, to : +F], hardware[:, i*F : +F], dge_mode=hwdge, queue=2  $in_hardware{i} >= 16  $stored += 16
.end

.expect  Y == X
.for i in 0..EACH
.expect  Z[i] == X[0:16, i*128 : +128]
.end
