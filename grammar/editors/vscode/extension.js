// Starts 'neuron-nasm lsp' for the programs that are open, 'neuron-nasm dap' to debug one, and
// shows the page of a run in a panel.
const vscode = require("vscode");
const { execFile } = require("node:child_process");
const { mkdtemp, readFile, rm } = require("node:fs/promises");
const { tmpdir } = require("node:os");
const path = require("node:path");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGE = "neuron-nasm";
const LENSES = [
  ["run", "Run", "Run the program, and print the report"],
  ["debug", "Debug", "Debug the program, from before its first instruction"],
  ["profile", "Profile", "Run the program, and show the page of the run"],
];
let client;

const settings = () => vscode.workspace.getConfiguration(LANGUAGE);

function activate(context) {
  const lenses = { provideCodeLenses: lensesOf };
  const hovers = { provideEvaluatableExpression: expressionAt };
  context.subscriptions.push(
    vscode.languages.registerCodeLensProvider({ language: LANGUAGE }, lenses),
    vscode.languages.registerEvaluatableExpressionProvider({ language: LANGUAGE }, hovers),
    vscode.debug.registerDebugAdapterDescriptorFactory(LANGUAGE, {
      createDebugAdapterDescriptor: () =>
        new vscode.DebugAdapterExecutable(settings().get("command"), ["dap"]),
    }),
    vscode.debug.registerDebugAdapterTrackerFactory(LANGUAGE, {
      createDebugAdapterTracker: () => ({ onError: (error) => missing("dap", error) }),
    }),
    vscode.debug.registerDebugConfigurationProvider(LANGUAGE, {
      resolveDebugConfiguration: (_, given) => resolved(given),
    }),
    vscode.commands.registerCommand(`${LANGUAGE}.run`, (uri) => launch(uri, { noDebug: true })),
    vscode.commands.registerCommand(`${LANGUAGE}.debug`, (uri) => launch(uri, {})),
    vscode.commands.registerCommand(`${LANGUAGE}.profile`, profile),
    vscode.commands.registerCommand(`${LANGUAGE}.page`, page),
  );
  return serve(context);
}

function deactivate() {
  return client && client.stop();
}

// ---------------------------------------------------------------- the language server

function serve(context) {
  const cycles = settings().get("cycles") ? [] : ["--no-cycles"];
  const server = {
    command: settings().get("command"),
    args: ["lsp", ...cycles, ...settings().get("options")],
  };
  const documents = { documentSelector: [{ language: LANGUAGE }] };
  client = new LanguageClient(LANGUAGE, "neuron-nasm", server, documents);
  context.subscriptions.push(client);
  return client.start().catch((error) => missing("lsp", error));
}

function missing(verb, error) {
  const install = "pip install 'neuron-nasm[lsp]', or set neuron-nasm.command";
  vscode.window.showErrorMessage(`neuron-nasm ${verb} does not start (${error.message}): ${install}`);
}

// ---------------------------------------------------------------- running and debugging

function lensesOf(document) {
  const above = new vscode.Range(0, 0, 0, 0);
  return LENSES.map(
    ([name, title, tooltip]) =>
      new vscode.CodeLens(above, {
        title,
        tooltip,
        command: `${LANGUAGE}.${name}`,
        arguments: [document.uri],
      }),
  );
}

function expressionAt(document, position) {
  const range = document.getWordRangeAtPosition(position, /(?:@[\w.]+\.)?[$%]?[A-Za-z_]\w*/);
  return range && new vscode.EvaluatableExpression(range);
}

function programOf(uri) {
  const editor = vscode.window.activeTextEditor;
  const found = uri || (editor && editor.document.languageId === LANGUAGE && editor.document.uri);
  if (!found) vscode.window.showErrorMessage("neuron-nasm: open a program first");
  return found;
}

async function launch(uri, options) {
  const program = programOf(uri);
  if (!program) return;
  await vscode.workspace.saveAll(false);
  const folder = vscode.workspace.getWorkspaceFolder(program);
  const wanted = configuration(program.fsPath);
  await vscode.debug.startDebugging(folder, wanted, options);
}

function configuration(program) {
  const name = path.basename(program);
  return { type: LANGUAGE, request: "launch", name, program, stopOnEntry: true };
}

function resolved(given) {
  if (given.type || given.program) return { cwd: "${workspaceFolder}", ...given };
  const program = programOf();
  return program && configuration(program.fsPath);
}

// ---------------------------------------------------------------- the page of a run

function show(title, html) {
  const column = vscode.ViewColumn.Beside;
  const options = { enableScripts: true, retainContextWhenHidden: true };
  vscode.window.createWebviewPanel(`${LANGUAGE}.page`, title, column, options).webview.html = html;
}

async function page() {
  const session = vscode.debug.activeDebugSession;
  if (!session || session.type !== LANGUAGE) return profile();
  try {
    const made = await session.customRequest("nasm/page");
    show(`${session.name}: the run so far`, made.html);
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
  }
}

async function profile(uri) {
  const program = programOf(uri);
  if (!program) return;
  await vscode.workspace.saveAll(false);
  const folder = await mkdtemp(path.join(tmpdir(), "neuron-nasm-"));
  const file = path.join(folder, "run.html");
  const words = ["profile", program.fsPath, "--html", file, "--color", "never"];
  try {
    const printed = await executed(words, path.dirname(program.fsPath));
    show(path.basename(program.fsPath), await readFile(file, "utf8").catch(() => {
      throw new Error(printed);
    }));
  } catch (error) {
    vscode.window.showErrorMessage(`neuron-nasm profile: ${error.message}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// What a command prints on standard error; a program that fails has a page as well.
function executed(words, cwd) {
  const location = vscode.ProgressLocation.Window;
  const title = "neuron-nasm: profiling";
  return vscode.window.withProgress({ location, title }, () => {
    return new Promise((resolve, reject) => {
      execFile(settings().get("command"), words, { cwd }, (error, _, printed) => {
        if (error && typeof error.code !== "number") reject(error);
        else resolve(printed);
      });
    });
  });
}

module.exports = { activate, deactivate };
