/**
 * Compares the working tree with a commit: `npm run bench:compare -- <ref> [scenario ...]`.
 *
 * Builds both, starts both side by side, and sends both the same load in short rounds in turn. Several times from a fresh
 * start, since processes of the same build differ. Owns the order; what is measured how is in the files beside.
 */
import { isDeepStrictEqual } from 'node:util';
import { endAll, startLoadGenerator } from '../processes.ts';
import { sampleReply } from '../sample-reply.ts';
import { buildCommit, copyWorkingTree } from './builds.ts';
import { readOptions, type Options } from './options.ts';
import { printReport } from './report.ts';
import { interleave, type Contender, type Pair } from './rounds.ts';
import { ask, startSubject, type Scenario, type Subject } from './scenarios.ts';

/** How often both services are started. */
const STARTS_MAX = 4;
/** Until V8 has compiled what is hot; less when rounds are so short that nothing but the way they work is looked at. */
const WARM_UP_SECONDS = 2;
const WARM_UP_ROUNDS_MAX = 8;
const CONNECTIONS = 64;

async function compareWithCommit({ ref, scenarios, rounds, roundSeconds, pipelining }: Options): Promise<void> {
  console.error(`building ${ref}`);
  const builds = { new: copyWorkingTree(), old: await buildCommit(ref) };
  const starts = Math.min(STARTS_MAX, rounds);
  const warmUpSeconds = Math.min(WARM_UP_SECONDS, WARM_UP_ROUNDS_MAX * roundSeconds);
  const plan = { pairs: Math.ceil(rounds / starts), roundSeconds, warmUpSeconds };
  const found = new Map<Scenario, Pair[][]>(scenarios.map((scenario) => [scenario, []]));
  for (let start = 1; start <= starts; start++) {
    const subjects = { new: await startSubject(builds.new), old: await startSubject(builds.old) };
    const generate = await startLoadGenerator();
    for (const scenario of scenarios) {
      console.error(`start ${start} of ${starts}: ${scenario}`);
      if (start === 1) await compareAnswers(subjects, scenario);
      const contender = (subject: Subject): Contender => {
        const { to, request } = ask(subject, scenario);
        const isMock = to === subject.service.mocks;
        return { server: to, load: { ...request, connections: CONNECTIONS, pipelining: isMock ? pipelining : 1 } };
      };
      const contenders = { new: contender(subjects.new), old: contender(subjects.old) };
      found.get(scenario)?.push(await interleave(contenders, plan, generate));
    }
    await endAll();
  }
  printReport(found);
}

/** A difference in what mocks answer is told, since it may be why one is faster. Ids make the answers of the API differ. */
async function compareAnswers(subjects: { readonly new: Subject; readonly old: Subject }, scenario: Scenario) {
  const answer = async (subject: Subject) => {
    const { to, request } = ask(subject, scenario);
    return to === subject.service.mocks ? sampleReply(to.port, request) : undefined;
  };
  if (!isDeepStrictEqual(await answer(subjects.new), await answer(subjects.old))) {
    console.error(`${scenario}: the two do not answer alike`);
  }
}

await compareWithCommit(readOptions());
// The load generator and whatever else is left ends with this process.
process.exit();
