.target wormhole
@t0 SETDMAREG NewValue=6, ResultHalfReg=2
@t0 SETDMAREG NewValue=7, ResultHalfReg=4
@t0 SHIFTDMAREG Mode=0, ResultReg=3, RightReg=, LeftReg=1
