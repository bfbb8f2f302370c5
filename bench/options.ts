/** The command line of `npm run bench`. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findWrk } from './load/wrk.ts';
import type { BenchOptions, LoadName } from './section.ts';

export interface CommandLine extends BenchOptions {
  /** Names of sections; all when absent. */
  readonly section?: readonly string[];
  readonly isHelpWanted: boolean;
  /** Where the file of results goes. */
  readonly results: string;
}

const RESULTS = join(import.meta.dirname, 'results');

export const USAGE = `npm run bench -- [options]
  --section <name,...>     some sections
  --only <scenario,...>    some scenarios
  --contenders <name,...>  some contenders
  --rounds <n>             rounds (5)
  --seconds <n>            of each round (2)
  --load <name,...>        wrk, autocannon (those that are installed)
  --results <folder>       where the file of results goes (bench/results)
  --tiny                   seconds in all: shows that it works, measures nothing`;

export function readOptions(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: {
      section: { type: 'string' },
      only: { type: 'string' },
      contenders: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      load: { type: 'string' },
      results: { type: 'string', default: RESULTS },
      help: { type: 'boolean', default: false },
      tiny: { type: 'boolean', default: false },
    },
  });
  const isTiny = values.tiny;
  return {
    isTiny,
    isHelpWanted: values.help,
    results: values.results,
    rounds: positive(values.rounds) ?? (isTiny ? 1 : 5),
    seconds: positive(values.seconds) ?? (isTiny ? 0.2 : 2),
    loads: loads(list(values.load), isTiny),
    ...optional('section', list(values.section)),
    ...optional('only', list(values.only)),
    ...optional('contenders', list(values.contenders)),
  };
}

/** wrk takes whole seconds: a tiny run does without it unless it is asked for. */
function loads(asked: string[] | undefined, isTiny: boolean): LoadName[] {
  const known: readonly LoadName[] = ['wrk', 'autocannon'];
  const unknown = asked?.find((name) => !known.includes(name as LoadName));
  if (unknown !== undefined) throw new Error(`--load ${unknown}: wrk or autocannon`);
  const isThere = (name: LoadName) => name === 'autocannon' || findWrk() !== undefined;
  if (asked?.includes('wrk') === true && !isThere('wrk')) throw new Error('--load wrk: not installed');
  return known.filter((name) =>
    asked === undefined ? isThere(name) && !(isTiny && name === 'wrk') : asked.includes(name),
  );
}

function list(value: string | undefined): string[] | undefined {
  return value?.split(',').map((name) => name.trim());
}

function positive(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!(number > 0)) throw new Error(`${value} is not a positive number`);
  return number;
}

function optional<Name extends string>(name: Name, value: string[] | undefined): { [key in Name]?: string[] } {
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: string[] };
}
