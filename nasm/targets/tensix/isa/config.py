"""The configuration unit."""

from nasm.targets.tensix.isa.setups import REGISTERS
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.scalar import configuring

UNIT = Family(__name__)

_BITS = "Mask=0xf0, NewValue=0x50, Index4=76"

WRCFG = UNIT.row(
    "WRCFG", configuring.WRCFG, setup=REGISTERS, example="WRCFG InputReg=1, Is128Bit=0, CfgIndex=76"
)
RDCFG = UNIT.row(
    "RDCFG",
    configuring.RDCFG,
    setup=".cfg THCON_SEC0_REG6_Source_address = 5",
    example="RDCFG GprAddress=3, CfgReg=76",
)
SETC16 = UNIT.row("SETC16", configuring.SETC16, example="SETC16 CfgIndex=12, NewValue=8")
RMWCIB0 = UNIT.row("RMWCIB0", configuring.RMWCIB0, example=f"RMWCIB0 {_BITS}")
RMWCIB1 = UNIT.row("RMWCIB1", configuring.RMWCIB1, example=f"RMWCIB1 {_BITS}")
RMWCIB2 = UNIT.row("RMWCIB2", configuring.RMWCIB2, example=f"RMWCIB2 {_BITS}")
RMWCIB3 = UNIT.row("RMWCIB3", configuring.RMWCIB3, example=f"RMWCIB3 {_BITS}")
