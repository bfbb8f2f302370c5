/** What `npm run bench:compare` is asked for. Anything else ends the process with how it is used. */
import { Argument, Command, InvalidArgumentError } from 'commander';
import { SCENARIOS, type Scenario } from './scenarios.ts';

export interface Options {
  readonly ref: string;
  readonly scenarios: readonly Scenario[];
  /** Pairs of rounds of each scenario, in all. */
  readonly rounds: number;
  readonly roundSeconds: number;
  /**
   * Requests to a mock on their way on one connection at a time. To the API it is one: what it answers later, uWebSockets.js closes
   * a pipelined connection for.
   */
  readonly pipelining: number;
}

export function readOptions(): Options {
  const command = new Command('npm run bench:compare --')
    .description('compare the working tree with a commit: requests/s, and CPU per request, in interleaved rounds')
    .argument('<ref>', 'commit')
    .addArgument(new Argument('[scenario...]', 'what is asked; all when absent').choices(SCENARIOS))
    .option('--rounds <n>', 'pairs of rounds of each scenario, in all', positive, 80)
    .option('--seconds <n>', 'length of a round', positive, 0.25)
    .option('--pipelining <n>', 'requests to a mock on their way on one connection at a time', positive, 1)
    .parse();
  const [ref, names] = command.processedArgs as [string, Scenario[] | undefined];
  const { rounds, seconds, pipelining } = command.opts<Record<'rounds' | 'seconds' | 'pipelining', number>>();
  const scenarios = SCENARIOS.filter(
    (scenario) => names === undefined || names.length === 0 || names.includes(scenario),
  );
  return { ref, scenarios, rounds, roundSeconds: seconds, pipelining };
}

function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new InvalidArgumentError('expected a number above 0');
  return number;
}
