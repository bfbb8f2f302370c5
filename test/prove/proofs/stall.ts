/**
 * The longest that one request holds a serving thread, whose other requests wait meanwhile: hunted for over rules, templates, bodies, GraphQL documents and
 * the events of streams.
 *
 * `npm run prove -- stall --seed 8554976589448` makes the case of a seed again, and tells what it is. On the commit before the prices of
 * rules and templates were measured, the search found requests of more than a second within its time. So it did while members of objects
 * that helpers make cost as much as items of lists.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { askMock } from '../../support/ask-mock.ts';
import { TestServer } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';
import { caseOf } from '../stall/cases.ts';
import { hunt, STALL_MS_MAX, stallOf, surelyStallOf, type Stall } from '../stall/hunt.ts';

const SECONDS: Readonly<Record<Effort, number>> = { short: 4, full: 42 };
/** The worst of so many kinds are looked at again, and asked of a real server. */
const ASKED_AGAIN: Readonly<Record<Effort, number>> = { short: 1, full: 4 };

export const proof: Proof = {
  name: 'stall',
  promise: 'No request takes more than 60 ms of a serving thread, whatever the rules, the template and the body.',
  async run(tally: Tally, effort: Effort) {
    // What is tried first differs from day to day; what is found is told by its own seed.
    const { tried, worst } = hunt(Math.floor(Date.now() / 86_400_000), SECONDS[effort]);
    tally.tried('rules, templates and bodies, each for less than 60 ms', tried);
    const again = worst.slice(0, ASKED_AGAIN[effort]).map(({ seed }) => surelyStallOf(seed));
    for (const stall of again.filter(({ cpuMs }) => cpuMs > STALL_MS_MAX)) {
      tally.failed('rules, templates and bodies, each for less than 60 ms', tell(stall));
    }
    const [longest] = again.toSorted((one, other) => other.cpuMs - one.cpuMs);
    if (longest !== undefined) tally.tried(`the longest that was found: ${tell(longest)}`);
    await askServer(
      tally,
      again.filter(({ seed }) => caseOf(seed).isStream !== true),
    );
  },
  async replay(seed: number, trace: (line: string) => void) {
    trace(caseOf(seed).words);
    const stalls = [1, 2, 3].map(() => stallOf(seed));
    for (const stall of stalls) trace(tell(stall));
    const least = Math.min(...stalls.map(({ cpuMs }) => cpuMs));
    return least > STALL_MS_MAX ? [`it takes ${least.toFixed(0)} ms of processor time`] : [];
  },
};

function tell({ seed, cpuMs, work }: Stall): string {
  return `${cpuMs.toFixed(0)} ms of processor time for ${work.toFixed(0)} units: npm run prove -- stall --seed ${seed}`;
}

/** A body comes in pieces, between which others are answered: that time is no stall. */
const RECEIVING_MS_PER_MB = 3;

/** The same through a real server: its API takes the mock, and the thread that answers takes no longer, but for receiving the body. */
async function askServer(tally: Tally, stalls: readonly Stall[]): Promise<void> {
  const server = await TestServer.start(['--no-bootstrap', '--log-level', 'error']);
  const key = await server.key('mallory');
  const fault = 'the longest of them, from a real server';
  for (const { seed } of stalls) {
    const { definition, request } = caseOf(seed);
    const body = { name: 'stall', routes: definition.routes, start: true };
    const made = await server.request('POST', '/v1/mocks', { key, body });
    const id = (made.json as { data?: { id: string } }).data?.id;
    if (!tally.check(fault, id !== undefined, () => `seed ${seed}: ${JSON.stringify(made.json)}`)) continue;
    const ask = () =>
      askMock(server.mockPort, `${request.path}?${request.query}`, {
        mock: id as string,
        method: 'POST',
        headers: headersOf(request.headers),
        ...(request.body && { body: request.body }),
      });
    let least = Infinity;
    // As in a replay: what other programs do to the processor, and code that is not compiled yet, shows in some of them, a stall in all.
    for (let asked = 0; asked < 6 && least > STALL_MS_MAX; asked++) {
      const before = threadsMs(server.pid);
      const { status } = await ask();
      const after = threadsMs(server.pid);
      least = Math.min(least, Math.max(0, ...[...after].map(([thread, ms]) => ms - (before.get(thread) ?? ms))));
      tally.check(fault, status === 200 || status === 500, () => `seed ${seed}: ${status}`);
    }
    const most = STALL_MS_MAX + RECEIVING_MS_PER_MB * ((request.body?.length ?? 0) / 1e6);
    tally.check(fault, least <= most, () => `seed ${seed}: ${least.toFixed(0)} ms of a thread`);
  }
  tally.check('the server lives through it', (await server.end()) === 0 && server.stderr === '', () => server.stderr);
}

function headersOf(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] as string]] : [])));
}

/** Processor time of each thread of a server's data plane, its child process; empty where the system does not tell. */
function threadsMs(pid: number): Map<string, number> {
  const threads = new Map<string, number>();
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ');
    for (const child of children) {
      for (const thread of readdirSync(`/proc/${child}/task`)) {
        const [nanoseconds] = readFileSync(`/proc/${child}/task/${thread}/schedstat`, 'latin1').split(' ', 1);
        threads.set(`${child} ${thread}`, Number(nanoseconds) / 1e6);
      }
    }
  } catch {
    threads.clear();
  }
  return threads;
}
