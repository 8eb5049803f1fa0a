// Starts 'neuron-nasm lsp' and hands it the programs that are open.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGE = "neuron-nasm";
let client;

function activate(context) {
  const settings = vscode.workspace.getConfiguration(LANGUAGE);
  const cycles = settings.get("cycles") ? [] : ["--no-cycles"];
  const server = {
    command: settings.get("command"),
    args: ["lsp", ...cycles, ...settings.get("options")],
  };
  const documents = { documentSelector: [{ language: LANGUAGE }] };
  client = new LanguageClient(LANGUAGE, "neuron-nasm", server, documents);
  context.subscriptions.push(client);
  return client.start().catch((error) => {
    const install = "pip install 'neuron-nasm[lsp]'";
    vscode.window.showErrorMessage(`neuron-nasm lsp does not start (${error.message}): ${install}`);
  });
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
