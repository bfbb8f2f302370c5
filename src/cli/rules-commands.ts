/** `switchyard rules …`: the options of commands about rules. What they do is loaded when one runs. */
import { writeFileSync } from 'node:fs';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { OperatorError } from '../base/operator-error.ts';
import { integerFrom, nonEmpty } from './option-values.ts';
import { say } from './print.ts';
import { readRequestWords } from './request-words.ts';
import { addServerOptions, type ServerOptions } from './server-options.ts';

/** Exit status of `rules test` when no rule applies, as of `grep` when no line matches. */
const NOTHING_APPLIES = 1;
/** The exit status of `rules import` when a record is refused. */
const SOME_REFUSED = 1;

interface RulesTestOptions extends ServerOptions {
  readonly method?: string;
  readonly header: readonly { readonly name: string; readonly value: string }[];
  readonly data?: string;
  readonly dataFile?: string;
  readonly rules?: string;
  readonly runCode?: true;
  readonly response?: string;
  readonly responseHeader: readonly { readonly name: string; readonly value: string }[];
  readonly responseStatus?: number;
  readonly json?: true;
}

interface RulesImportOptions extends ServerOptions {
  readonly onConflict?: 'duplicate' | 'overwrite' | 'skip';
  readonly activate?: true;
  readonly atomic?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

interface RulesExportOptions extends ServerOptions {
  readonly output?: string;
  readonly format: 'requestly' | 'switchyard';
  readonly ids?: readonly string[];
  readonly groupIds?: readonly string[];
}

export function addRulesCommands(program: Command): void {
  const rules = program.command('rules').description('test, list, change, import and export rules');
  addServerOptions(
    rules
      .command('test')
      .description('show what rules do to a request, without sending it; exits with 1 if none applies')
      .usage('[options] [method] <url>')
      .argument('<url...>', 'URL of the request, and its method before it: POST https://api.example.com/users')
      .option('--method <method>', 'method of the request (default: GET, or POST with a body)', nonEmpty)
      .addOption(
        new Option('--header <line>', 'header of the request, such as "accept: text/html"; repeatable')
          .argParser(headerLine)
          .default([], 'none'),
      )
      .option('--data <text>', 'body of the request')
      .addOption(
        new Option('--data-file <file>', 'file with the body of the request').argParser(nonEmpty).conflicts('data'),
      )
      .option('--rules <file>', "JSON file with rules to test instead of the server's", nonEmpty)
      .option('--run-code', 'run rule code; the server must have --rule-code')
      .option('--response <text>', 'body of the response that rules change (default: none is known)')
      .addOption(
        new Option('--response-header <line>', 'header of that response, such as "content-type: text/html"; repeatable')
          .argParser(headerLine)
          .default([], 'none'),
      )
      .addOption(
        new Option('--response-status <n>', 'status of that response (default: 200)').argParser(integerFrom(100, 599)),
      )
      .option('--json', 'print the whole result as JSON'),
  ).action(testRequest);
  addServerOptions(
    rules
      .command('import')
      .description('import a file of rules from Requestly or Switchyard; exits with 1 if any is refused')
      .argument('<file>', 'file of rules and groups', nonEmpty)
      .addOption(
        new Option(
          '--on-conflict <what>',
          'what to do with a record whose id already exists (default: duplicate, with --activate overwrite)',
        ).choices(['duplicate', 'overwrite', 'skip']),
      )
      .option('--activate', 'keep the status in the file (default: imported rules are inactive)')
      .option('--atomic', 'import all records, or none')
      .option('--dry-run', 'show what would be imported')
      .option('--json', 'print the whole result as JSON'),
  ).action(importFile);
  addServerOptions(
    rules
      .command('export')
      .description('export rules and groups as a file')
      .option('-o, --output <file>', 'file to write, instead of stdout', nonEmpty)
      .addOption(
        new Option('--format <name>', 'format of the file').choices(['requestly', 'switchyard']).default('requestly'),
      )
      .option('--ids <list>', 'ids of rules, separated by commas', listed)
      .option('--group-ids <list>', 'ids of groups, exported with their rules, separated by commas', listed),
  ).action(exportFile);
}

async function testRequest(words: readonly string[], given: RulesTestOptions, command: Command): Promise<void> {
  const { method: typedMethod, target: url } = readRequestWords(words) ?? {};
  if (url === undefined || url.startsWith('/'))
    command.error(
      `error: expected a URL with http:// or https://, and its method before it if it is not GET: ${words.join(' ')}`,
    );
  const { method = typedMethod, header: headers, data: body, dataFile: bodyFile, rules: rulesFile, json } = given;
  const { withServer } = await loadWithServer();
  const { applies, resultLines, testRules } = await import('./rules-test.ts');
  await withServer(given, async (client) => {
    const { runCode, response: text, responseHeader, responseStatus: status } = given;
    const response = { body: text, headers: responseHeader, status };
    const tested = await testRules(client, { url, method, headers, body, bodyFile, rulesFile, runCode, response });
    say(json ? JSON.stringify(tested.evaluation, undefined, 2) : (await resultLines(tested, client)).join('\n'));
    if (!applies(tested)) process.exitCode = NOTHING_APPLIES;
  });
}

async function importFile(file: string, given: RulesImportOptions): Promise<void> {
  const { onConflict, activate = false, atomic = false, dryRun = false, json } = given;
  const { readInput, withServer } = await loadWithServer();
  const { importLines, isRefused } = await import('./rules-import.ts');
  const bytes = readInput(file);
  const imported = await withServer(given, (client) =>
    client.rules.import(bytes, { ...(onConflict && { onConflict }), activate, atomic, dryRun }),
  );
  say(json ? JSON.stringify(imported, undefined, 2) : importLines(imported, dryRun).join('\n'));
  if (isRefused(imported)) process.exitCode = SOME_REFUSED;
}

async function exportFile(given: RulesExportOptions): Promise<void> {
  const { output, format, ids, groupIds } = given;
  const { withServer } = await loadWithServer();
  const chosen = { format, ...(ids === undefined ? {} : { ids }), ...(groupIds === undefined ? {} : { groupIds }) };
  const text = await withServer(given, (client) => client.rules.export(chosen));
  if (output === undefined) await new Promise((written) => process.stdout.write(text, written));
  else writeOutput(output, text);
}

function writeOutput(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new OperatorError(`cannot write ${file}: ${(error as Error).message}`);
  }
}

const loadWithServer = () => import('./with-server.ts');

function listed(text: string): readonly string[] {
  return text.split(',');
}

function headerLine(text: string, before: readonly object[]): readonly object[] {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('Expected a line such as "accept: text/html".');
  return [...before, { name, value }];
}
