/**
 * Measures one scenario: all contenders are started, checked, warmed up, and then loaded in turn, round by round.
 *
 * Machines drift within minutes, so that ratios are taken within a round; and a contender that always came after the same other
 * one would have what that one left behind, so that each round begins with the next.
 */
import { deepStrictEqual as deepEqual } from 'node:assert';
import { join } from 'node:path';
import type { Contender, Reference, Started } from '../contenders/contender.ts';
import { startSwitchyard } from '../contenders/switchyard.ts';
import type { Load, LoadResult } from '../load-generator.ts';
import { cpuSecondsBetween, cpuTimes, residentBytes } from '../load/cpu-time.ts';
import { findWrk, runWrk } from '../load/wrk.ts';
import { endAll, startLoadGenerator, temporaryDirectory } from '../processes.ts';
import { sampleReply, type SampleReply } from '../sample-reply.ts';
import type { BenchOptions, LoadName, Watcher } from '../section.ts';
import type { Scenario } from './scenario.ts';

const CONNECTIONS = 64;
/** What even a server that is not compiled yet answers within a round of a fraction of a second. */
const CONNECTIONS_TINY = 8;
/** A virtual machine of Java compiles for seconds, and the others have as long. */
const WARM_UP_SECONDS = 3;
const WARM_UP_SECONDS_TINY = 0.2;

/** One contender under load once. */
export interface Round {
  readonly contender: string;
  readonly load: LoadName;
  /** From 0. */
  readonly round: number;
  readonly requestsPerSecond: number;
  /** User and system time of all its processes. */
  readonly cpuMicroseconds: number;
  /** Seconds of processor time per second. */
  readonly busy: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentBytes: number;
}

export interface ScenarioResult {
  readonly scenario: string;
  readonly title: string;
  readonly rounds: readonly Round[];
  /** Why a contender has no part in it, by its name. */
  readonly without: Readonly<Record<string, string>>;
}

/** One that is up, with what it is sent. */
interface Entry {
  readonly name: string;
  readonly started: Started;
  readonly load: Omit<Load, 'seconds'>;
}

export function scenarioSeconds(scenario: Scenario, contenders: readonly Contender[], options: BenchOptions): number {
  const count = contenders.filter((contender) => reasonAgainst(contender, scenario) === undefined).length;
  return count * (warmUpSeconds(options) + options.rounds * options.loads.length * options.seconds);
}

export async function measureScenario(
  scenario: Scenario,
  contenders: readonly Contender[],
  options: BenchOptions,
  watcher: Watcher,
): Promise<ScenarioResult> {
  const without: Record<string, string> = {};
  const taking = contenders.filter((contender) => {
    const reason = reasonAgainst(contender, scenario);
    if (reason !== undefined) without[contender.name] = reason;
    return reason === undefined;
  });

  watcher.step(`${scenario.name}: starting`, 0);
  const reference = await referenceOf(scenario);
  const connections = options.isTiny ? CONNECTIONS_TINY : CONNECTIONS;
  const entries: Entry[] = [];
  for (const contender of taking) {
    const started = await contender.start(scenario, reference);
    entries.push(...entriesOf(contender.name, scenario, started, started.hosts ?? reference.hosts, connections));
  }
  const check = async () => {
    for (const entry of entries) await checkAnswer(entry, scenario, reference.reply);
  };
  await check();

  const generate = await generators();
  const rounds: Round[] = [];
  for (const entry of entries) {
    watcher.step(`${scenario.name}: ${entry.name} warms up`, warmUpSeconds(options));
    await generate(options.loads[0] ?? 'autocannon', { ...entry.load, seconds: warmUpSeconds(options) });
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const entry of rotated(entries, round)) {
      for (const load of options.loads) {
        watcher.step(`${scenario.name}: round ${round + 1}/${options.rounds}, ${entry.name}, ${load}`, options.seconds);
        const before = cpuTimes(entry.started.pid);
        const result = await generate(load, { ...entry.load, seconds: options.seconds });
        const cpuSeconds = cpuSecondsBetween(before, cpuTimes(entry.started.pid));
        rounds.push({
          contender: entry.name,
          load,
          round,
          requestsPerSecond: result.requestCount / result.seconds,
          cpuMicroseconds: (cpuSeconds / result.requestCount) * 1e6,
          busy: cpuSeconds / result.seconds,
          ...result.latency,
          residentBytes: residentBytes(entry.started.pid),
        });
      }
    }
  }
  await check();
  await endAll();
  return { scenario: scenario.name, title: scenario.title, rounds, without };
}

function warmUpSeconds({ isTiny }: BenchOptions): number {
  return isTiny ? WARM_UP_SECONDS_TINY : WARM_UP_SECONDS;
}

function reasonAgainst(contender: Contender, scenario: Scenario): string | undefined {
  if (scenario.contenders?.includes(contender.name) === false) return 'not part of it';
  return contender.cannot?.(scenario);
}

/** A Switchyard for its answer alone; it ends with the scenario and has nothing to do until then. */
async function referenceOf(scenario: Scenario): Promise<Reference> {
  const { port, hosts } = await startSwitchyard(scenario, true);
  return { hosts, reply: await sample(scenario, port, hosts[0] as string) };
}

/** With many mocks there is one entry more: the same requests, all to one of them. */
function entriesOf(
  name: string,
  scenario: Scenario,
  started: Started,
  hosts: readonly string[],
  connections: number,
): Entry[] {
  const to = (sentTo: readonly string[]): Entry['load'] => ({
    ...scenario.request,
    port: started.port,
    status: scenario.answer.status,
    connections,
    headers: { ...scenario.request.headers, host: hosts[0] as string },
    ...(sentTo.length === 1 ? {} : { hosts: sentTo }),
  });
  if (hosts.length === 1 || started.hosts === undefined) return [{ name, started, load: to(hosts) }];
  return [
    { name, started, load: to(hosts) },
    { name: `${name}-one-mock`, started, load: to(hosts.map(() => hosts[0] as string)) },
  ];
}

/** Every contender's body must be the scenario's; raw ones and Switchyard itself are held to each other's headers too. */
async function checkAnswer({ name, load }: Entry, scenario: Scenario, expected: SampleReply): Promise<void> {
  for (const host of new Set([load.hosts?.[0], load.hosts?.at(-1), load.headers.host])) {
    if (host === undefined) continue;
    const reply = await sample(scenario, load.port, host);
    if (scenario.answer.body !== undefined) deepEqual(reply.body, scenario.answer.body, `${name} answers differently`);
    if (/^(raw|guarded|switchyard)/.test(name)) deepEqual(reply, expected, `${name} answers differently`);
  }
}

function sample({ request, answer }: Scenario, port: number, host: string): Promise<SampleReply> {
  return sampleReply(port, { ...request, headers: { ...request.headers, host }, status: answer.status });
}

/** One process of autocannon for all rounds, so that its code is compiled before those that count; wrk starts anew each time. */
async function generators(): Promise<(name: LoadName, load: Load) => Promise<LoadResult>> {
  const wrk = findWrk();
  const script = join(temporaryDirectory(), 'load.lua');
  const autocannon = await startLoadGenerator();
  return (name, load) => (name === 'wrk' && wrk !== undefined ? runWrk(wrk, script, load) : autocannon(load));
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const at = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
