; What a program may set has the names of the public headers.
.target wormhole
.cfg ALU_FORMAT_SPEC_REG0_SrcC = bf16
.cfg ALU_FORMAT_SPEC_REG0_SrcA = bf17
.cfg SEM0_value = 16
.cfg GPR3 = 1
.cfg SEM1_max = 1
.cfg SEM1_max = 2
