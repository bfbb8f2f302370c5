/** `switchyard rules …`: the options of commands about rules. What they do is loaded when one runs. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { loadModule } from '../base/load-module.ts';
import { nonEmpty } from './options.ts';
import { say } from './print.ts';
import { addServerOptions, type ServerOptions } from './server-options.ts';

/** Exit status of `rules test` when no rule applies, as of `grep` when no line matches. */
const NOTHING_APPLIES = 1;

interface RulesTestOptions extends ServerOptions {
  readonly method?: string;
  readonly header: readonly { readonly name: string; readonly value: string }[];
  readonly data?: string;
  readonly dataFile?: string;
  readonly rules?: string;
  readonly json?: true;
}

export function addRulesCommands(program: Command): void {
  const rules = program.command('rules').description('try the rules of a server');
  addServerOptions(
    rules
      .command('test')
      .description('show what rules do to a request, without sending it; exits with 1 when none applies')
      .argument('<url>', 'URL of the request', requestUrl)
      .option('--method <method>', 'method of the request (default: GET, or POST with a body)', nonEmpty)
      .addOption(
        new Option('--header <line>', 'header of the request, such as "accept: text/html"; may be repeated')
          .argParser(headerLine)
          .default([], 'none'),
      )
      .option('--data <text>', 'body of the request')
      .addOption(
        new Option('--data-file <file>', 'file with the body of the request').argParser(nonEmpty).conflicts('data'),
      )
      .option('--rules <file>', "JSON file with rules to try instead of the server's", nonEmpty)
      .option('--json', 'print the whole result as JSON'),
  ).action(testRequest);
}

async function testRequest(url: string, given: RulesTestOptions): Promise<void> {
  const { method, header: headers, data: body, dataFile: bodyFile, rules: rulesFile, json } = given;
  const { withServer } = await loadModule(import.meta.url, './with-server.js', () => import('./with-server.ts'));
  const { applies, resultLines, testRules } = await loadModule(
    import.meta.url,
    './rules-test.js',
    () => import('./rules-test.ts'),
  );
  await withServer(given, async (client) => {
    const tested = await testRules(client, { url, method, headers, body, bodyFile, rulesFile });
    say(json ? JSON.stringify(tested.evaluation, undefined, 2) : (await resultLines(tested, client)).join('\n'));
    if (!applies(tested)) process.exitCode = NOTHING_APPLIES;
  });
}

function requestUrl(text: string): string {
  if (!/^https?:\/\//i.test(text)) throw new InvalidArgumentError('Expected a URL with http:// or https://.');
  return text;
}

function headerLine(text: string, before: readonly object[]): readonly object[] {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('Expected a line such as "accept: text/html".');
  return [...before, { name, value }];
}
