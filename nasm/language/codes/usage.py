"""Codes of how nasm is used: files, arrays, options, the debugger's commands: E0801 to E0901."""

from __future__ import annotations

from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0801",
        "a file cannot be read",
        "The program, or an array file that it or the command line names, does not exist, may "
        "not be read, or is not what it should be: UTF-8 text for a program, .npy or .npz for an "
        "array, TOML for the figures of `--timing`. An array file holds exactly the elements that "
        "its header announces. Paths in a program are relative to the program's folder, paths on "
        "the command line to the current one. With `--files DIR` a program reads from that folder "
        "alone, and links that lead out of it are not followed; with `--no-files` it reads no "
        "array files.",
        "$ neuron-nasm run programs/        # a folder",
        "$ neuron-nasm run programs/matmul.nasm",
    ),
    Code(
        "E0802",
        "an input without values",
        "An `input` tensor gets its values from its initialiser or from the command line. This "
        "one has neither.",
        ".hbm  X  f32[4]  input",
        ".hbm  X  f32[4]  input = iota",
    ),
    Code(
        "E0803",
        "--in names no tensor",
        "The program has no tensor with the name before the `=`.",
        "$ neuron-nasm run programs/matmul.nasm --in a_matrix=a.npy",
        "$ neuron-nasm run programs/matmul.nasm --in A=a.npy",
    ),
    Code(
        "E0804",
        "an array of another shape or dtype",
        "An array from a file has exactly the shape and the dtype of its tensor; nothing is "
        "converted implicitly. A dtype that .npy lacks (bfloat16, the 8-bit floats, the packed "
        "ones) is stored as unsigned integers of its width.",
        "$ neuron-nasm run programs/matmul.nasm --in A=float64.npy",
        "$ neuron-nasm run programs/matmul.nasm --in A=bits_as_uint16.npy",
    ),
    Code(
        "E0805",
        "--out names no tensor",
        "`--out NAME=FILE.npy` writes a tensor of the program, from any memory. The program "
        "declares no tensor of this name. This is checked before the run, so that no long run is "
        "lost.",
        "$ neuron-nasm run programs/matmul.nasm --out D=d.npy",
        "$ neuron-nasm run programs/matmul.nasm --out C=c.npy",
    ),
    Code(
        "E0806",
        "a file cannot be written",
        "A result could not be written: the folder does not exist or is not writable, the name is "
        "a folder, or the disk is full. Folders and permissions are looked at before the run. "
        "Results are written to a temporary file first and then renamed, so that a file that was "
        "there before is intact; the other results are written anyway.",
        "$ neuron-nasm run programs/matmul.nasm --out C=no/such/folder/c.npy",
        "$ neuron-nasm run programs/matmul.nasm --out-dir results",
    ),
    Code(
        "E0807",
        "no such diagnostic",
        "No diagnostic has the code that `explain` was given. Codes are an E or a W and four "
        "digits; `neuron-nasm explain` lists them.",
        "$ neuron-nasm explain E9999",
        "$ neuron-nasm explain E0807",
    ),
    Code(
        "E0808",
        "not enough memory on this computer",
        "The tensors of the program, or what it computes with them, do not fit into the memory of "
        "the computer that simulates it. That is reported before any of it is allocated: the "
        "tensors; the shadow memory, one byte for each byte of a tensor that is not initialised "
        "as a whole; copies of what is overwritten, for going back; a file that is read; "
        "expectations. What there is, is the least of what the computer has available, what the "
        "limits of its control groups (containers) leave, and what `ulimit -v` and `ulimit -d` "
        "leave.",
    ),
    Code(
        "E0809",
        "an unknown machine option, or a value it does not take",
        "`--option NAME=VALUE` chooses between plausible interpretations of the documentation, or "
        "sets what the runtime lets one configure. `neuron-nasm isa --options` lists the options "
        "with their values, and the generations that take one if not all of them do.",
        "$ neuron-nasm run programs/matmul.nasm --option rounding=random",
        "$ neuron-nasm run programs/matmul.nasm --option rounding=stochastic",
    ),
    Code(
        "E0810",
        "a program that is assembled already",
        "Target, definitions and machine options take effect when a text is assembled. A Program "
        "has its own already, and keeps them. An object file has its target and its constants; "
        "`--option` and `--timing` change the machine that it runs on.",
    ),
    Code(
        "E0811",
        "nothing to help with",
        "`neuron-nasm help` explains a command, an instruction or a diagnostic. The word is none "
        "of these.",
        "$ neuron-nasm help reduction",
        "$ neuron-nasm isa --search reduction",
    ),
    Code(
        "E0812",
        "a command line that means nothing",
        "An option is unknown or lacks its value, or a word is where none is accepted. "
        "`neuron-nasm help` with the name of a command shows its options.",
        "$ neuron-nasm run prog.nasm --max-cycles few",
        "$ neuron-nasm run prog.nasm --max-cycles 100",
    ),
    Code(
        "E0813",
        "a result would be written over something else",
        "Two results of a run, `--trace` included, would go into the same file, or one of them "
        "over the program, over an array that is read, or into the JSON document on standard "
        "output. Files are compared, not their names: links lead to the same file. An output may "
        "replace the file of an input, which has been read by then.",
        "$ neuron-nasm run programs/matmul.nasm --out C=c.npy --trace ./c.npy",
        "$ neuron-nasm run programs/matmul.nasm --out C=c.npy --trace c.json",
    ),
    Code(
        "E0814",
        "an unknown timing figure, or a value it does not take",
        "`--timing FILE` sets figures by name: a line of the file is `semaphore_ns = 25`, and "
        "what is under `[v4]` holds of that generation alone. `neuron-nasm isa --timing` lists "
        "the figures of each generation. Times may be 0, rates may not; limits of the hardware, "
        "such as the number of semaphores, cannot be set.",
        "$ neuron-nasm run programs/matmul.nasm --timing my.toml  # it sets semafore_ns",
        "$ neuron-nasm run programs/matmul.nasm --timing my.toml  # it sets semaphore_ns",
    ),
    Code(
        "E0815",
        "a session that keeps no profile",
        "What a profile tells is gathered while a program runs. In Python a session has to be made "
        "with `profile=True` for that.",
    ),
    Code(
        "E0816",
        "a bound of a timeline that means nothing",
        "`--timeline FROM..TO` takes times with their unit, numbers of lines and labels of the "
        "program. The first bound is when that starts for the first time, the second when it has "
        "ended for the last time; without one the timeline begins with the run, or ends with it.",
        "$ neuron-nasm profile programs/matmul.nasm --timeline 3us..1us",
        "$ neuron-nasm profile programs/matmul.nasm --timeline 1us..3us",
    ),
    Code(
        "E0817",
        "Parquet without pyarrow",
        "Tables are written as Parquet with the package pyarrow, which is installed with the extra "
        "`neuron-nasm[parquet]`. JSON lines, the default, need no package.",
        "$ neuron-nasm profile programs/matmul.nasm --tables out --format parquet",
        "$ neuron-nasm profile programs/matmul.nasm --tables out",
    ),
    Code(
        "E0818",
        "a topology that is wrong",
        "`--topology` names instances or UltraServers of AWS, or a file in TOML or JSON that says "
        "what differs from one: `base` names that, `grid`, `layers`, `cores` and `lnc` are its "
        "chips and cores, and the table `figures` has rates and latencies. The groups of a "
        "collective are different ranks, with the same indices on each instance.",
    ),
    Code(
        "E0821",
        "an unknown command of the debugger",
        "The first word of the line is not a command, or an ambiguous abbreviation. `help` lists "
        "the commands; any unambiguous prefix of a name will do.",
    ),
    Code(
        "E0822",
        "a command of the debugger that cannot be executed",
        "The command is known, but not with these arguments, or not at this point of the run. "
        "`help` with the name of the command shows how it is used.",
    ),
    Code(
        "E0835",
        "a session that keeps no inputs to run again",
        "`nasm.schedules` and `nasm.witness` run a program again on the inputs that it had. In "
        "Python a session has to be made with `reruns=True` for that: it copies arrays that it is "
        "given, and remembers what it reads from files.",
    ),
    Code(
        "E0836",
        "a run without an end to compare others with",
        "Other timings are compared by what is there at the end. A run has one when it has "
        "finished, and when it is in a deadlock; where a fault or a limit stops it depends on when "
        "things happen.",
    ),
    Code(
        "E0837",
        "an event that there was none of",
        "An event to be delayed is named by its kind (a start, a completion, a landing), the "
        "number of its queue, and the number of its instruction among those that the queue "
        "executed, from 0 on. A branch that is taken back to an instruction executes it once "
        "more. Only what issues a transfer has a landing.",
    ),
    Code(
        "E0838",
        "a range of sizes that cannot be",
        "`check --for N=1..` checks a text for every value of a constant that it declares with "
        "`.const`, from the first on; `.param N in 1..` gives the range in the text, and N has no "
        "other value then. Values for which an `.assert` of the text fails are none of "
        "its sizes; the others must be evenly apart, in steps that may be given: "
        "`--for 'N=128.. step 128'`.",
    ),
    Code(
        "E0840",
        "a program that has no text",
        "The printer writes what a program holds in the language. What only Python can "
        "make has no text: a view that no slice, method or pattern of the language gives, initial "
        "values of a kind of their own, a file whose name a string cannot hold. So has an order of "
        "lines that leaves one out, or turns round those of a queue.",
    ),
    Code(
        "E0841",
        "a text that has no sequential order",
        "`run --autosync` and `neuron-nasm sync` find the necessary waits from the order of the "
        "lines: each means what it does after all lines above it. A text that was written engine "
        "by engine has no such order: a line of it waits for what only a line further down "
        "updates, or reads what only that writes; both are shown. Nor has one that branches. And "
        "a text that has waits already would have two sets of them: `--strip` leaves its own out. "
        "On a machine whose queues wait by instructions alone there are no waits to add.",
        "$ neuron-nasm run --autosync programs/countdown.nasm",
        "$ neuron-nasm sync --strip programs/matmul.nasm",
    ),
    Code(
        "E0842",
        "an object file that cannot be used",
        "An object file says how long it is and carries checksums of all its parts. One that is "
        "cut off or changed is refused before any of it is used; so is one that says what no "
        "program can, one of another format, and one with instructions or operands that this "
        "version does not have. docs/object-format.md describes it byte by byte. Assemble the text "
        "again.",
        "$ head -c 1000 prog.nobj > part.nobj; neuron-nasm run part.nobj",
        "$ neuron-nasm asm prog.nasm; neuron-nasm run prog.nobj",
    ),
    Code(
        "E0843",
        "a file that does not hold the rows of a sweep",
        "A sweep keeps its rows in a file, a line of JSON each, and continues from there another "
        "time. The file that is named is something else, or a line of it was changed. It is not "
        "touched.",
        "$ neuron-nasm sweep prog.nasm -D N=64,128 --keep prog.nasm",
        "$ neuron-nasm sweep prog.nasm -D N=64,128 --keep prog.rows.jsonl",
    ),
    Code(
        "E0844",
        "a cluster that cannot be reached",
        "Nothing answers as a Dask scheduler at the address. 'dask scheduler' prints the address "
        "that workers and --scheduler take; 'local' starts a cluster on this computer.",
        "$ neuron-nasm sweep prog.nasm -D N=64,128 --scheduler tcp://nowhere:8786",
        "$ neuron-nasm sweep prog.nasm -D N=64,128 --scheduler local",
    ),
    Code(
        "E0845",
        "a worker with another version of nasm",
        "Runs are the same on every machine as long as nasm is. A worker whose modules differ from "
        "those here could return other figures, so it gets no work. Install the same version on "
        "each of them.",
    ),
    Code(
        "E0846",
        "a grid that makes no sweep",
        "A sweep takes at least one value for each name, and no more than ten million points. A "
        "picture shows a sweep in which one value changes, or two.",
        "$ neuron-nasm sweep prog.nasm -D N=64,128 -D M=1,2 -D K=1,2 --svg map.svg",
        "$ neuron-nasm sweep prog.nasm -D N=64,128 -D M=1,2 --svg map.svg",
    ),
    Code(
        "E0847",
        "an exercise that cannot be used",
        "An exercise is a folder with exercise.toml, which says what is asked, and golden.py, with "
        "functions inputs(rng) and golden(**inputs) that return arrays by name. 'neuron-nasm grade "
        "EXERCISE --check' says what else is wrong with one. docs/tools.md describes both files.",
        "$ neuron-nasm grade . mine.nasm",
        "$ neuron-nasm grade exercises/softmax mine.nasm",
    ),
    Code(
        "E0848",
        "a recording that cannot be used",
        "A recording is a run as a file: its program and inputs, all that was done by hand, and "
        "the place that it had reached. When it is opened all of that is done again. One that is "
        "cut off or changed is refused, and so is one of which this version of nasm computes "
        "another trace, other values or another end: then it would not show what was recorded. "
        "Take the version that it names, or record the run again.",
        "$ head -c 1000 run.nrec > part.nrec; neuron-nasm repl --replay part.nrec",
        "$ neuron-nasm record prog.nasm -o run.nrec; neuron-nasm repl --replay run.nrec",
    ),
    Code(
        "E0849",
        "what a program computes has no name",
        "`neuron-nasm equal` gives everything that a program computes a name, which says what was "
        "computed of what. It has none for what expands to other instructions, for what a core "
        "holds besides its engines, for a read of what nothing wrote, and for the elements of a "
        "tensor that are not in the order of its bytes. Then only programs that have the same "
        "instructions are known to be equal.",
    ),
    Code(
        "E0901",
        "a defect in nasm",
        "This is a bug in nasm, not in your program. Please report it with the file that the "
        "message names and, if you can, with the program. With NASM_DEBUG=1 in the environment "
        "the details are printed at once.",
    ),
)
