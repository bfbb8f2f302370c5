/**
 * The generated parts of the documents, made of what the program declares: options, refusals, metrics, endpoints, limits and
 * template helpers. A page has a part between `<!-- generated: NAME -->` and `<!-- end -->`. docs.ts writes the parts, and
 * test/documents.test.ts compares them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { commandTree } from '../cli/program.ts';
import { REFUSALS } from '../errors.ts';
import { HELPER_DOCS } from '../languages/templates/helper-docs.ts';
import { OTHER_NAMES, SIGNATURES, type HelperName } from '../languages/templates/signatures.ts';

const SRC = join(import.meta.dirname, '..');

/** Facts that only a running server knows. */
interface ServerFacts {
  /** The text of `/metrics`. */
  readonly metrics: string;
  /** The document at `/v1/openapi.json`. */
  readonly openApi: OpenApi;
}

interface OpenApi {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly tags: readonly string[];
}

/** @throws Error for a response that is not a success. */
export async function readFacts(origin: string): Promise<ServerFacts> {
  const read = async (path: string): Promise<string> => {
    const response = await fetch(origin + path);
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response.text();
  };
  return { metrics: await read('/metrics'), openApi: JSON.parse(await read('/v1/openapi.json')) as OpenApi };
}

/** @returns The page with its generated parts as they should be. @throws Error for a part that does not exist. */
export async function withGeneratedParts(page: string, facts: ServerFacts): Promise<string> {
  const parts = new Map<string, string>();
  for (const [, name = ''] of page.matchAll(PART)) parts.set(name, await generatedPart(name, facts));
  return page.replaceAll(PART, (_part, name: string) => {
    return `<!-- generated: ${name} -->\n\n${parts.get(name) ?? ''}\n\n<!-- end -->`;
  });
}

const PART = /<!-- generated: ([^\n]+) -->\n.*?<!-- end -->/gs;

async function generatedPart(name: string, facts: ServerFacts): Promise<string> {
  const [, group] = /^helpers of (.+)$/.exec(name) ?? [];
  if (group !== undefined) return helpersTable(group);
  const makers: Readonly<Record<string, () => string | Promise<string>>> = {
    'options of serve': serveOptions,
    'commands with a server': () => commandOptions('server'),
    'commands on a store': () => commandOptions('store'),
    'other commands': () => commandOptions('neither'),
    'commands of tools': toolCommands,
    refusals: refusalsTable,
    metrics: () => metricsTable(facts.metrics),
    endpoints: () => endpointLists(facts.openApi),
    limits: limitsTables,
    'other names of helpers': otherNamesTable,
  };
  const make = makers[name];
  if (make === undefined) throw new Error(`there is no generated part "${name}": src/build/docs-tables.ts lists them`);
  return make();
}

// ---- Options ----

/** Options that many commands have, by their environment variable, since `--data` is also the body of a request: the page explains them once. */
const SHARED = new Set(['SERVER', 'KEY_FILE', 'DATA', 'STORE'].map((name) => `SWITCHYARD_${name}`));

const isShared = ({ envVar, long }: Option): boolean => long === '--json' || SHARED.has(envVar ?? '');

async function serveOptions(): Promise<string> {
  const serve = (await commandTree()).commands.find((each) => each.name() === 'serve') as Command;
  const rows = serve.options.map((option) => [code(option.flags), defaultOf(option), explanationOf(option)]);
  return table(['option', 'default', ''], rows);
}

const GROUPS = {
  server: (command: Command): boolean => has(command, 'SWITCHYARD_KEY_FILE'),
  store: (command: Command): boolean => has(command, 'SWITCHYARD_DATA') || has(command, 'SWITCHYARD_STORE'),
  neither: (command: Command): boolean => !GROUPS.server(command) && !GROUPS.store(command),
};

function has(command: Command, variable: string): boolean {
  return command.options.some(({ envVar }) => envVar === variable);
}

/**
 * The commands but `serve` and those of agents' tools, with their flags: `--help` of a command explains them.
 *
 * @param group Those that talk to a server, open a store, or need neither.
 */
async function commandOptions(group: keyof typeof GROUPS): Promise<string> {
  const ofTools = new Set((await toolLeaves()).map(pathOf));
  return leavesOf(await commandTree({ withTools: true }))
    .filter((each) => each.name() !== 'serve' && !ofTools.has(pathOf(each)) && GROUPS[group](each))
    .map((command) => {
      const flags = command.options.filter((option) => !isShared(option)).map(flagText);
      return `**${usageOf(command)}**: ${command.description()}.${flags.length === 0 ? '' : `\n${flags.join(' · ')}`}`;
    })
    .join('\n\n');
}

/** With what it may be: `--format <switchyard|openapi>`. */
function flagText({ flags, argChoices = [], mandatory }: Option): string {
  const shown = argChoices.length === 0 ? flags : flags.replace(/<[^>]+>/, `<${argChoices.join('|')}>`);
  return code(shown) + (mandatory ? ' (required)' : '');
}

async function toolCommands(): Promise<string> {
  return (await toolLeaves()).map(usageOf).join(' · ');
}

/** The commands that only have arguments and options where tools are loaded. */
async function toolLeaves(): Promise<Command[]> {
  const without = new Set(leavesOf(await commandTree()).map(usageOf));
  return leavesOf(await commandTree({ withTools: true })).filter((each) => !without.has(usageOf(each)));
}

function usageOf(command: Command): string {
  return code([pathOf(command), ...command.registeredArguments.map(argumentText)].join(' '));
}

function leavesOf(command: Command): Command[] {
  const below = command.commands.flatMap(leavesOf);
  return below.length > 0 || command.parent === null ? below : [command];
}

/** "keys create" */
function pathOf(command: Command): string {
  const above = command.parent;
  return above === null || above.parent === null ? command.name() : `${pathOf(above)} ${command.name()}`;
}

function argumentText(argument: { name(): string; required: boolean; variadic: boolean }): string {
  const name = argument.name() + (argument.variadic ? '...' : '');
  return argument.required ? `<${name}>` : `[${name}]`;
}

function defaultOf({ defaultValue, defaultValueDescription, negate }: Option): string {
  const shown = (defaultValueDescription ?? (negate ? '' : (defaultValue ?? ''))) as string | number;
  return shown === '' || shown === 'none'
    ? ''
    : typeof shown === 'number' || !shown.includes(' ')
      ? code(String(shown))
      : shown;
}

/** Without the environment variable: the page says how it follows from the option. */
function explanationOf({ description, argChoices = [] }: Option): string {
  const choices = argChoices.every((each) => description.includes(each)) ? '' : `: ${argChoices.map(code).join(', ')}`;
  return `${escaped(description.replace(/ \(env: \w+=1\)$/, ''))}${choices}`;
}

// ---- What a server answers ----

/** A row for each message, or for the messages of a status that mean the same. */
function refusalsTable(): string {
  const whens = new Map<string, string[]>();
  for (const { status, message, when } of Object.values(REFUSALS)) {
    const head = `${status} ${code(message)}`;
    whens.set(head, [...(whens.get(head) ?? []), when]);
  }
  const rows = new Map<string, string[]>();
  for (const [head, each] of [...whens].toSorted(([one], [other]) => one.localeCompare(other, 'en'))) {
    const row = `${head.slice(0, 3)} ${each.join('; ')}`;
    rows.set(row, [...(rows.get(row) ?? []), head]);
  }
  const cells = [...rows].map(([row, heads]) => [
    heads.map((head, at) => (at === 0 ? head : head.slice(4))).join(', '),
    row.slice(4),
  ]);
  return table(['message', 'when'], cells);
}

function metricsTable(text: string): string {
  const rows = [...text.matchAll(/^# HELP (switchyard_\w+) (.*)$/gm)];
  return table(
    ['metric', ''],
    rows.map(([, name = '', help = '']) => [code(name), escaped(help.replace(/\.$/, ''))]),
  );
}

/** The paths of each tag with their methods. What a session of a mock has as its mock has is marked there. */
function endpointLists({ tags, paths }: OpenApi): string {
  const entries = Object.entries(paths).flatMap(([path, methods]) => {
    if (path.replace('/sessions/{sid}/', '/') !== path && path.replace('/sessions/{sid}/', '/') in paths) return [];
    const ofSession = path.replace('{id}/', '{id}/sessions/{sid}/');
    const mark = ofSession !== path && ofSession in paths ? ' \\*' : '';
    const names = Object.keys(methods).map((method) => method.toUpperCase());
    return [{ tag: Object.values(methods)[0]?.tags[0], text: `${names.join(' ')} ${code(path)}${mark}` }];
  });
  return tags
    .map(({ name }) => [name, entries.filter(({ tag }) => tag === name).map(({ text }) => text)] as const)
    .filter(([, own]) => own.length > 0)
    .map(([name, own]) => `**${name}**: ${own.join(' · ')}`)
    .join('\n\n');
}

// ---- Limits ----

/**
 * A docblock with "(shown)" or "(shown: Section)", and the constants or members behind it. What follows the mark is for readers of the
 * code alone.
 */
const SHOWN =
  /^ *\/\*\*((?:(?!\*\/).)*?)\(shown(?:: ([^)]+))?\)(?:(?!\*\/).)*\*\/\n((?: *(?:(?:export )?const )?\w+(?: =|:) [\d_* ]+[;,]\n)+)/gms;
const SECTION = /^\/\/ ---- (.+) ----$/gm;

/** By section: those of limits.ts in its order, then those of other files. */
function limitsTables(): string {
  const sections = new Map<string, string[][]>();
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  for (const file of ['limits.ts', ...files.filter((each) => each !== 'limits.ts').toSorted()]) {
    const text = readFileSync(join(SRC, file), 'utf8');
    const heads = [...text.matchAll(SECTION)];
    const found = [...text.matchAll(SHOWN)];
    const marked = text.split(/^[ /]*\*.*\. \(shown[:)]|^ \* \(shown[:)]/m).length - 1;
    if (file !== 'build/docs-tables.ts' && found.length !== marked)
      throw new Error(`${file}: behind "(shown)" stand constants whose values are products of numbers`);
    for (const { 1: words = '', 2: named, 3: constants = '', index } of found) {
      const section = named ?? heads.findLast((head) => head.index < index)?.[1] ?? file;
      const values = [...constants.matchAll(/(\w+)(?: =|:) ([\d_* ]+)[;,]/g)].map(([, name = '', value = '']) =>
        amountText(name, value),
      );
      const about = words
        .replaceAll(/\s*\n\s*\*?\s*/g, ' ')
        .trim()
        .replace(/\.$/, '');
      sections.set(section, [...(sections.get(section) ?? []), [escaped(about), values.join('; ')]]);
    }
  }
  return [...sections].map(([name, rows]) => `### ${name}\n\n${table(['limit', 'value'], rows)}`).join('\n\n');
}

/** With the unit that its name says: `BODY_BYTES_MAX`, `idleMs`. */
function amountText(name: string, product: string): string {
  const value = product.split('*').reduce((result, each) => result * Number(each.replaceAll('_', '')), 1);
  const words = new Set(
    name
      .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
      .toUpperCase()
      .split('_'),
  );
  if (words.has('BYTES')) return scaled(value, value % 100_000 === 0 ? DECIMAL : BINARY);
  if (words.has('MS')) return scaled(value, TIMES);
  if (words.has('SECONDS')) return scaled(value * 1_000, TIMES);
  // A unit of work is at most 5 ns.
  if (words.has('WORK')) return `${(value * 5) / 1e6} ms of work`;
  return value.toLocaleString('en-US');
}

type Units = readonly (readonly [name: string, size: number])[];

const BINARY: Units = [
  ['GiB', 1_073_741_824],
  ['MiB', 1_048_576],
  ['KiB', 1_024],
  ['bytes', 1],
];
const DECIMAL: Units = [
  ['MB', 1_000_000],
  ['kB', 1_000],
  ['bytes', 1],
];
const TIMES: Units = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/** In the largest unit that leaves few digits. */
function scaled(value: number, units: Units): string {
  const isFit = (size: number): boolean => value >= size && (value / size) % 0.5 === 0;
  const [name, size] = (units.find(([each, least]) => isFit(least) && !(each === 'days' && value === least)) ??
    units.at(-1)) as Units[0];
  return `${(value / size).toLocaleString('en-US')} ${name}`;
}

// ---- Helpers of templates ----

function helpersTable(group: string): string {
  const names = (Object.keys(SIGNATURES) as HelperName[]).filter((name) => SIGNATURES[name].group === group);
  if (names.length === 0) throw new Error(`there is no group of helpers "${group}"`);
  // Further examples of the same form are for the test.
  const forms = names.flatMap((name) =>
    [...new Map(HELPER_DOCS[name].toReversed().map((each) => [each.takes, each])).values()].toReversed(),
  );
  // The arguments of most follow from the example.
  const rows = forms.map(({ takes, example, gives }) =>
    [example, gives, /[[=…]/.test(takes) ? takes : ''].map((each) => code(each.replaceAll('|', '\\|'))),
  );
  return table(['example', 'result', 'arguments'], rows);
}

function otherNamesTable(): string {
  const names = new Map<string, string[]>();
  for (const [other, name] of Object.entries(OTHER_NAMES)) names.set(name, [...(names.get(name) ?? []), other]);
  return [...names].map(([name, others]) => `${code(name)}: ${others.map(code).join(', ')}`).join(' · ');
}

// ---- Markdown ----

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

/** For a line or a cell: what reads as HTML or as emphasis outside of code stays text. */
function escaped(text: string): string {
  const parts = text
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')
    .split(/(`[^`]*`)/);
  return parts.map((part) => (part.startsWith('`') ? part : part.replaceAll(/[<*]/g, '\\$&'))).join('');
}
