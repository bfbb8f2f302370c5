/** `switchyard import`, `export`, `record`, `detect` and `codes`: their options. What they do is loaded when one runs. */
import { Argument, Option, type Command } from 'commander';
import type { ExportOptions, ReadOptions } from '../client/index.ts';
import { OperatorError } from '../base/operator-error.ts';
import { RECIPE_NAMES, type RecipeName } from '../interchange/recipes.ts';
import { formatTitles, MOCK_EXPORT_NAMES, MOCK_FORMAT_NAMES } from '../interchange/mock-formats.ts';
import { list, duration, httpUrl, nonEmpty, portNumber } from './option-values.ts';
import { say } from './print.ts';
import type { RecordCommandOptions } from './record.ts';
import { addServerOptions, type ServerOptions } from './server-options.ts';

/** Exit statuses of `import --strict`. */
const STRICT_STATUSES = { exact: 0, approximated: 3, dropped: 4 };
/** Exit status of `record` when the mock does not answer all as it was recorded. */
const DIFFERENT = 1;
/** Exit status of `detect` for a file of an unknown format. */
const UNDETECTED = 1;

interface ImportCommandOptions extends ServerOptions, ReadOptions {
  readonly id?: string;
  readonly name?: string;
  readonly start?: true;
  readonly into?: string;
  readonly dryRun?: true;
  readonly json?: true;
  readonly strict?: true;
}

interface RecipeOptions extends ServerOptions {
  readonly id?: string;
  readonly name?: string;
  readonly start?: true;
}

interface ExportCommandOptions extends ServerOptions, ExportOptions {
  readonly output?: string;
}

const load = {
  codes: () => import('../interchange/report/codes.ts'),
  detect: () => import('./detect.ts'),
  exportMock: () => import('./export-mock.ts'),
  record: () => import('./record.ts'),
  importFile: () => import('./import-file.ts'),
  recipe: () => import('./recipe.ts'),
  withServer: () => import('./with-server.ts'),
};

export function addInterchangeCommands(program: Command): void {
  addServerOptions(
    program
      .command('import')
      .description(`create a mock from a file of ${formatTitles()}, and report what is lost`)
      .argument('<path>', 'file, or folder of files that refer to each other', nonEmpty)
      .addOption(
        new Option('--format <format>', 'read the file as this format (default: by its content)').choices([
          ...MOCK_FORMAT_NAMES,
        ]),
      )
      .option('--dry-run', 'store nothing')
      .addOption(
        new Option('--id <id>', 'id of the mock, which is part of its address (default: random)').argParser(nonEmpty),
      )
      .addOption(
        new Option(
          '--name <name>',
          "name of the mock (default: the file's title, else the name of the file)",
        ).argParser(nonEmpty),
      )
      .option('--host <host>', 'host of a HAR to import (default: the most frequent)', nonEmpty)
      .option('--validate', 'refuse requests that miss what an OpenAPI document requires')
      .option('--faker', 'generate bodies from OpenAPI schemas, as templates with fake values')
      .option('--crud', 'store what requests create: operations of an OpenAPI document read and change stores')
      .option('--latency', 'use the response times of a HAR as latency')
      .addOption(
        new Option(
          '--paths <ids>',
          'which ids in HAR paths become parameters: where several occur, all, or none',
        ).choices(['auto', 'ids', 'exact']),
      )
      .option('--parameterise', 'same as --paths ids')
      .option('--entry <path>', 'main file, when the path is a folder', nonEmpty)
      .option(
        '--distinguish-by <headers>',
        'request headers that tell requests of a HAR apart, separated by commas',
        nonEmpty,
      )
      .option('--rewrite-urls', "put the mock's address in place of URLs of the recorded host")
      .option('--global-templates', 'WireMock: read all bodies as templates, as its --global-response-templating')
      .option('--json-templates', 'keep templated bodies valid JSON, whatever a request sends')
      .addOption(
        new Option('--into <id>', 'replace the working copy of this mock instead of creating a mock')
          .argParser(nonEmpty)
          .conflicts(['dryRun', 'id', 'name', 'start']),
      )
      .option('--start', 'serve the mock at once')
      .option('--json', 'print the result as JSON, with the report by message')
      .option('--strict', 'exit with 4 when something is dropped, with 3 when something is approximated'),
  ).action(importPath);
  addServerOptions(
    program
      .command('recipe')
      .description('create a mock from a built-in recipe; without a name, list the recipes')
      .addArgument(new Argument('[name]', 'name of a recipe').choices([...RECIPE_NAMES]))
      .addOption(
        new Option('--id <id>', 'id of the mock, which is part of its address (default: random)').argParser(nonEmpty),
      )
      .addOption(new Option('--name <name>', 'name of the mock (default: that of the recipe)').argParser(nonEmpty))
      .option('--start', 'serve the mock at once'),
  ).action(async (recipe: RecipeName | undefined, given: RecipeOptions) => {
    const { listRecipes, useRecipe } = await load.recipe();
    say((recipe === undefined ? await listRecipes() : await useRecipe(recipe, given)).join('\n'));
  });
  addServerOptions(
    program
      .command('export')
      .description('write a mock as a file')
      .argument('<id>', 'id of the mock', nonEmpty)
      .addOption(
        new Option('--format <format>', 'format of the file (default: switchyard)').choices([...MOCK_EXPORT_NAMES]),
      )
      .addOption(
        new Option('--from <copy>', 'write the saved version or the working copy (default: saved)').choices([
          'saved',
          'staged',
        ]),
      )
      .option('-o, --output <file>', 'file to write (default: the standard output)', nonEmpty),
  ).action(exportTo);
  program
    .command('record')
    .description(
      'proxy a real service and record it; once stopped, write a mock of it, and exit with 1 if the mock answers differently',
    )
    .argument('<url>', 'address of the service', httpUrl)
    .addOption(new Option('-o, --output <file>', 'file to write').argParser(nonEmpty).makeOptionMandatory())
    .addOption(
      new Option('--format <format>', 'format of the file (default: switchyard)').choices([...MOCK_EXPORT_NAMES]),
    )
    .addOption(new Option('--mock-port <n>', 'port to listen on; 0 picks a free one').argParser(portNumber).default(0))
    .addOption(
      new Option('--paths <ids>', 'which ids in paths become parameters: where several were recorded, all, or none')
        .choices(['auto', 'ids', 'exact'])
        .default('auto'),
    )
    .option('--latency', "use the service's response times as latency")
    .option('--rewrite-urls', "put the mock's address in place of URLs of the service")
    .option('--distinguish-by <headers>', 'request headers that tell requests apart, such as accept-language', list)
    .addOption(
      new Option(
        '--redact <names>',
        'further headers and JSON members whose values to redact, separated by commas',
      ).argParser((text) => list(nonEmpty(text))),
    )
    .addOption(
      new Option('--duration <time>', 'stop after this time, such as 30s (default: at Ctrl-C)').argParser(duration),
    )
    .action(async (url: string, options: RecordCommandOptions) => {
      const { record } = await load.record();
      if (!(await record(url, options))) process.exitCode = DIFFERENT;
    });
  program
    .command('detect')
    .description('detect the format of a file, without a server; exits with 1 if it is unknown')
    .argument('<path>', 'file or folder', nonEmpty)
    .action(detect);
  program
    .command('codes')
    .description('explain report codes of imports and exports, without a server')
    .argument('[beginning]', 'code, or a prefix such as har', nonEmpty)
    .action(explainCodes);
}

async function importPath(path: string, given: ImportCommandOptions): Promise<void> {
  const { server, keyFile, json, strict, ...options } = given;
  const { withServer } = await load.withServer();
  const { importFile, importJson, importLines, levelOf } = await load.importFile();
  await withServer({ server, ...(keyFile === undefined ? {} : { keyFile }) }, async (client) => {
    const imported = await importFile(client, path, options);
    say(json ? importJson(imported) : importLines(imported).join('\n'));
    if (strict) process.exitCode = STRICT_STATUSES[levelOf(imported)];
  });
}

async function exportTo(id: string, given: ExportCommandOptions): Promise<void> {
  const { server, keyFile, output, ...options } = given;
  const { withServer } = await load.withServer();
  const { exportMock } = await load.exportMock();
  await withServer({ server, ...(keyFile === undefined ? {} : { keyFile }) }, (client) =>
    exportMock(client, id, options, output),
  );
}

async function explainCodes(beginning = ''): Promise<void> {
  const { CODES } = await load.codes();
  const lines = Object.entries(CODES)
    .filter(([code]) => code.startsWith(beginning))
    .map(([code, { level, text, instead }]) => `${code}  ${level}  ${text}. ${instead}.`);
  if (lines.length === 0) throw new OperatorError(`no code of a report begins with ${beginning}`);
  say(lines.join('\n'));
}

async function detect(path: string): Promise<void> {
  const { detectionOf } = await load.detect();
  const { isKnown, text } = await detectionOf(path);
  say(text);
  if (!isKnown) process.exitCode = UNDETECTED;
}
