/**
 * Compares the working tree with a commit: `npm run bench:compare -- <ref> [scenario ...]`.
 *
 * Builds both, starts both next to each other, and sends both the same load in short rounds in turn. Several times from a fresh
 * start, since processes of the same build differ. Of the same time, 80 rounds of 0.25 s gave an interval half as wide as 20
 * rounds of 1 s, on a machine busy with other work.
 */
import { Argument, Command, InvalidArgumentError } from 'commander';
import { isDeepStrictEqual } from 'node:util';
import { startLoad } from '../load/start-load.ts';
import { endAll } from '../processes.ts';
import { progress } from '../report.ts';
import { runRounds, type Round } from '../rounds.ts';
import { sampleReply } from '../sample-reply.ts';
import { buildCommit, copyWorkingTree } from './builds.ts';
import { printComparison } from './print-comparison.ts';
import { ask, SCENARIOS, startSubject, type Asked, type ScenarioName } from './scenarios.ts';

/** How often both services are started. */
const STARTS_MAX = 4;
/** Until V8 has compiled what is hot; less when rounds are so short that they only show that all of it works. */
const WARM_UP_SECONDS = 2;
const WARM_UP_ROUNDS_MAX = 8;
const CONNECTIONS = 64;

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly pipelining: number;
  readonly mocks: number;
}

async function compareWithCommit(ref: string, asked: readonly ScenarioName[], options: Options): Promise<void> {
  progress(`building ${ref}`);
  const builds = { new: copyWorkingTree(), old: await buildCommit(ref) };
  const starts = Math.min(STARTS_MAX, options.rounds);
  const warmUpSeconds = Math.min(WARM_UP_SECONDS, WARM_UP_ROUNDS_MAX * options.seconds);
  const plan = { rounds: Math.ceil(options.rounds / starts), roundSeconds: options.seconds, warmUpSeconds };
  const chosen = SCENARIOS.filter((scenario) => asked.length === 0 || asked.includes(scenario));
  const found = new Map<ScenarioName, Round[][]>(chosen.map((scenario) => [scenario, []]));
  for (let start = 1; start <= starts; start++) {
    const subjects = { new: await startSubject(builds.new), old: await startSubject(builds.old) };
    const generate = await startLoad();
    for (const scenario of chosen) {
      progress(`start ${start} of ${starts}: ${scenario}`);
      const requests = {
        new: await ask(subjects.new, scenario, options.mocks),
        old: await ask(subjects.old, scenario, options.mocks),
      };
      const isMock = requests.new.to === subjects.new.service.mocks;
      if (start === 1 && isMock) await compareAnswers(requests, scenario);
      // uWebSockets.js closes a pipelined connection for what the API answers later; autocannon cannot pipeline requests that differ.
      const pipelining = isMock && requests.new.request.requests === undefined ? options.pipelining : 1;
      const contenders = Object.entries<Asked>(requests).map(([name, { to, request }]) => {
        const load = { ...request, port: to.port, connections: CONNECTIONS, pipelining };
        return { name, pid: to.pid, load: () => load };
      });
      found.get(scenario)?.push(await runRounds(contenders, plan, generate));
    }
    await endAll();
  }
  printComparison(found);
}

/** A difference in what mocks answer is reported, since it may be why one is faster. Ids make the answers of the API differ. */
async function compareAnswers(asked: { readonly new: Asked; readonly old: Asked }, scenario: ScenarioName) {
  const answer = ({ to, request }: Asked) => sampleReply(to.port, request);
  if (!isDeepStrictEqual(await answer(asked.new), await answer(asked.old))) {
    progress(`${scenario}: the two do not answer alike`);
  }
}

function positive(text: string): number {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('expected a number above 0');
  return Number(text);
}

await new Command('npm run bench:compare --')
  .description('compare the working tree with a commit: requests/s, and CPU per request, in rounds in turn')
  .argument('<ref>', 'commit')
  .addArgument(new Argument('[scenario...]', 'which scenarios; all when absent').choices(SCENARIOS))
  .option('--rounds <n>', 'rounds of each scenario, in all', positive, 80)
  .option('--seconds <n>', 'length of a round', positive, 0.25)
  .option('--pipelining <n>', 'requests to one mock on their way on one connection at a time', positive, 1)
  .option('--mocks <n>', 'mocks that the requests of many-mocks are spread over', positive, 1_000)
  .action(compareWithCommit)
  .parseAsync();
// The load generator and whatever else is left ends with this process.
process.exit();
