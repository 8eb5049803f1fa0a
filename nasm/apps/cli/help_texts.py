"""What --help says below the options: examples and notes, for the command and each verb."""

COMMAND = "neuron-nasm"

EPILOG = """\
examples:
  neuron-nasm run matmul.nasm                 run it: cycles and expectations
  neuron-nasm run matmul.nasm --in A=a.npy --out C=c.npy
  neuron-nasm nki script.py                   run AWS's kernels
  neuron-nasm profile matmul.nasm             where the time went
  neuron-nasm diff old.nasm new.nasm          what became slower, and what differs
  neuron-nasm check *.nasm                    report all errors in all files
  neuron-nasm print tiled.nasm                its loops unrolled, line by line
  neuron-nasm sync program.nasm               who has to wait for whom
  neuron-nasm asm program.nasm                an object file; dis gives its text
  neuron-nasm isa TensorTensor                its operands, rules and sources
  neuron-nasm explain E0501                   what a diagnostic means
  neuron-nasm repl matmul.nasm                step through it
  neuron-nasm lsp                             answer an editor

'neuron-nasm help COMMAND' explains a command's options.

exit codes: 0 no errors; 1 the program fails (an expectation, a hazard, a
deadlock, a fault, a limit); 2 it does not assemble, or the command line
or a file is wrong; 70 a defect in nasm; 124 --timeout; 130 Ctrl-C,
143 SIGTERM, 129 SIGHUP.
"""
RUN = """\
examples:
  neuron-nasm run matmul.nasm
  neuron-nasm run matmul.nasm --in A=a.npy --in B=data.npz:b --out C=c.npy
  neuron-nasm run tiled.nasm -D N=1_024 --target trn2 --out-dir results
  neuron-nasm run matmul.nasm --trace trace.json.gz
  neuron-nasm run matmul.nasm --option rounding=stochastic
  neuron-nasm run matmul.nasm --timing my.toml
  neuron-nasm run matmul.nasm --schedules 200
  neuron-nasm run matmul.nasm --strict --allow E0514 --sarif found.sarif
  neuron-nasm run kernel.py:name --isolated --timeout 60 --json
  cat matmul.nasm | neuron-nasm run - --json

A .npy file has exactly the shape and the dtype of its tensor. Dtypes that .npy
lacks (bfloat16, the 8-bit floats) are read and written as unsigned integers of
their width. Files are written atomically: the outputs if the program ran to
its end, the trace unless a signal stops the run.
"""
NKI = """\
examples:
  neuron-nasm nki script.py                   a script that calls its kernels
  neuron-nasm nki script.py -- --rows 512     with arguments of its own
  neuron-nasm nki kernel.py:name --in a=a.npy --in "b=normal[128,512]:bf16"
  neuron-nasm nki kernel.py:name --in "x=iota[128,512]" --arg pool_size=2 --lnc 2
  neuron-nasm nki kernel.py:name --in x=x.npz:x --out y=y.npy --emit out.nasm
  neuron-nasm profile kernel.py:name --in x=x.npy
  neuron-nasm repl kernel.py:name --in x=x.npy
  neuron-nasm diff k.py:old k.py:new --in x=x.npy

'import nki' finds nasm's own modules: no package of the vendor's is needed.
Values that are made are zeros, ones, iota, random or normal with a shape, then
a dtype (f32) and a seed (the number of its --in): normal[128,512]:bf16:seed=7.
Behind a .npy file may stand what its elements are: a.npy:bf16. The target is
--target, or the variable NEURON_PLATFORM_TARGET_OVERRIDE, or trn2.

The exit code of a script is its own, or 1 if something is wrong with a run of
one of its kernels; 1 for what a kernel or a script raises, 2 for a kernel that
is refused.
"""
PROFILE = """\
examples:
  neuron-nasm profile matmul.nasm
  neuron-nasm profile matmul.nasm --path      all of the critical path
  neuron-nasm profile matmul.nasm --timeline 2us..5us
  neuron-nasm profile tiled.nasm -D N=1_024 --target trn2 --json
  neuron-nasm profile matmul.nasm --tables out --format parquet

Times need no values: nothing is computed, unless addresses or branches of the
program depend on what is. With --no-values such a program is refused.
"""
DIFF = """\
examples:
  neuron-nasm diff old.nasm new.nasm
  neuron-nasm diff tiled.nasm -D N=1_024 --vs -D N=2_048
  neuron-nasm diff tiled.nasm --vs --target trn2 --option power_ramp=off
  neuron-nasm diff old.nasm --in A=a.npy --vs new.nasm --timing my.toml

What stands before --vs is said of both sides, what follows it of the second
alone, where it has the last word: the last -D of a name, the last --target.
Outputs are compared unless --no-values is given, or one side lacks values.
The exit code is 0 if both sides ran, whatever tells them apart; otherwise it
is that of 'run'.
"""
CHECK = """\
examples:
  neuron-nasm check matmul.nasm
  neuron-nasm check programs/*.nasm -D N=512 --json
  neuron-nasm check matmul.nasm --map         who owns which bytes, and when
  neuron-nasm check matmul.nasm --ordering relaxed

A program whose branches and addresses need no values is followed to its end,
and what is wrong on the way is told: the exit code is 1 for that, and 2 for a
program that does not assemble. Warnings and notes do not change it.
"""
PRINT = """\
examples:
  neuron-nasm print tiled.nasm                queue by queue, one line each
  neuron-nasm print tiled.nasm -D N=1_024 -o unrolled.nasm
  neuron-nasm print tiled.nasm --places       with the place of every tensor

What is printed assembles to the same program: the same instructions, places
and semaphores, and the same run in every tick. A comment stands above the first
line that its line became. Machine options and timing
figures, which no text says, are named in comments: give them again. Array files
are named from where the text stands: beside the program, or where -o writes it.
"""
SYNC = """\
examples:
  neuron-nasm sync program.nasm               show it with moments, as a diff
  neuron-nasm sync program.nasm -o ready.nasm
  neuron-nasm sync --strip --write old.nasm   in the place of the waits it has
  neuron-nasm sync --waits program.nasm       semaphores, with what they count
  neuron-nasm run --autosync program.nasm     run it with them

Each line means what it does after all lines above it, whichever engine it is
for. What is inserted keeps that meaning under every timing, and no wait of it
can be left out. A text that is written engine by engine is refused, and so is
one that branches. A line of a .for says what it comes after for all rounds; a
text whose rounds have less in common is written out, line by line.
"""
LIST = """\
examples:
  neuron-nasm list tiled.nasm                 offset, pc, cycles, lines as written
  neuron-nasm list tiled.nasm --engine tensor --core 0
  neuron-nasm list tiled.nasm --explorer      to lay a profile beside it
  neuron-nasm list tiled.nasm --desugar       as a program, as 'print' does
  neuron-nasm list tiled.nasm --json

Numbers stand where names and expressions did. Cycles are those of the engine,
? where they depend on what a run finds. A line that a loop or a macro made
says of which round or call it is.
"""
FMT = """\
examples:
  neuron-nasm fmt program.nasm                in place
  neuron-nasm fmt --check programs/*.nasm     is anything to be done?
  neuron-nasm fmt --diff program.nasm
  neuron-nasm fmt - < program.nasm            to standard output

Comments and strings stay as they are, and so does what the text means. A text
that cannot be read is left alone.
"""
ASM = """\
examples:
  neuron-nasm asm program.nasm                writes program.nobj
  neuron-nasm asm program.nasm -D N=256 --strip -o small.nobj
  neuron-nasm asm kernel.py:name --in "x=iota[128,512]"
  neuron-nasm asm program.nasm --desugar      the plain program that is left
  neuron-nasm run program.nobj                and repl, profile, diff, check, …
  neuron-nasm asm program.nasm --words        of targets whose words are public

The same text becomes the same bytes. Array files that the program names go
with it, unless --link leaves them where they are. Inputs of a kernel begin with
values that are made; arrays of files are given when it is run. --desugar writes
what 'print' does, to standard output without -o.
"""
DIS = """\
examples:
  neuron-nasm dis program.nobj
  neuron-nasm dis program.nobj -o program.nasm --extract
  neuron-nasm dis words.txt --words --target wormhole

What is printed is what 'print' writes, and assembles to the same object, but
for the text in it. Machine options and timing figures are named in comments.
"""
ISA = """\
examples:
  neuron-nasm isa
  neuron-nasm isa MultiplyMoving
  neuron-nasm isa --search nc_matmul          by name, operator, dtype or word
  neuron-nasm isa --options                   what --option may set
  neuron-nasm isa --timing --target trn2      what --timing may set
  neuron-nasm isa TensorTensor --example | neuron-nasm run -
"""
EXPLAIN = """\
examples:
  neuron-nasm explain
  neuron-nasm explain E0501
"""
HELP = """\
examples:
  neuron-nasm help run
  neuron-nasm help TensorTensor
  neuron-nasm help E0501
"""
REPL = """\
examples:
  neuron-nasm repl matmul.nasm
  neuron-nasm repl matmul.nasm -ex run -ex "info queues"
"""
LSP = """\
It speaks the language server protocol on standard input and output: an editor
starts it. docs/editors.md says how. It needs pip install 'neuron-nasm[lsp]'.
"""
