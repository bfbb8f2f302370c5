/** The contenders of a scenario, started and checked to give the same answer. */
import { deepStrictEqual as deepEqual } from 'node:assert';
import type { Contender, Reference, Started } from '../contenders/contender.ts';
import { startSwitchyard, switchyard } from '../contenders/switchyard.ts';
import type { Load, VariedRequest } from '../load/load.ts';
import { sampleReply, type SampleReply } from '../sample-reply.ts';
import type { Scenario } from './scenario.ts';

export interface LineUp {
  readonly entries: readonly Entry[];
  /** Rejects when one of them does not answer as it must. */
  readonly check: () => Promise<void>;
}

/** A contender that was started, with the requests to it. */
export interface Entry {
  readonly name: string;
  readonly started: Started;
  readonly load: Omit<Load, 'seconds' | 'connections'>;
}

/** @returns Those that take part, and why the others do not. */
export function partOf(scenario: Scenario, contenders: readonly Contender[]) {
  const without: Record<string, string> = {};
  const present = contenders.filter((contender) => {
    const reason = reasonAgainst(contender, scenario);
    if (reason !== undefined) without[contender.name] = reason;
    return reason === undefined;
  });
  return { present, without };
}

export const NOT_PART_OF_IT = 'not part of it';

function reasonAgainst(contender: Contender, scenario: Scenario): string | undefined {
  if (scenario.contenders?.includes(contender.name) === false) return NOT_PART_OF_IT;
  return contender.cannot?.(scenario);
}

/** Their answers have been checked when it resolves. */
export async function lineUp(scenario: Scenario, present: readonly Contender[]): Promise<LineUp> {
  const first = await startSwitchyard(scenario, true);
  const reference: Reference = {
    hosts: first.hosts,
    reply: await sample(scenario, first.port, first.hosts[0] as string),
  };
  const started = await Promise.all(
    // The first is there anyway.
    present.map(async (contender) => (contender === switchyard ? first : contender.start(scenario, reference))),
  );
  const entries = present.flatMap(({ name }, index) => {
    const one = started[index] as Started;
    return entriesOf(name, scenario, one, one.hosts ?? reference.hosts);
  });
  const check = async () => {
    for (const entry of entries) await checkAnswer(entry, scenario, reference.reply);
  };
  await check();
  return { entries, check };
}

/** With many mocks there is one entry more: the same requests, all to one of them. */
function entriesOf(name: string, scenario: Scenario, started: Started, hosts: readonly string[]): Entry[] {
  const to = (sentTo: readonly string[]): Entry['load'] => ({
    ...scenario.request,
    port: started.port,
    status: scenario.answer.status,
    headers: { ...scenario.request.headers, host: hosts[0] as string },
    ...(sentTo.length === 1 ? {} : { requests: sentTo.map((host) => requestTo(scenario, host)) }),
  });
  if (hosts.length === 1 || started.hosts === undefined) return [{ name, started, load: to(hosts) }];
  return [
    { name, started, load: to(hosts) },
    { name: `${name}-one-mock`, started, load: to(hosts.map(() => hosts[0] as string)) },
  ];
}

function requestTo({ request: { path, headers, body } }: Scenario, host: string): VariedRequest {
  return { path, headers: { ...headers, host }, ...(body === undefined ? {} : { body }) };
}

/** Every contender's body must be the scenario's; raw ones and Switchyard itself are held to each other's headers too. */
async function checkAnswer({ name, load }: Entry, scenario: Scenario, expected: SampleReply): Promise<void> {
  for (const host of new Set([load.requests?.at(-1)?.headers.host, load.headers.host])) {
    if (host === undefined) continue;
    const reply = await sample(scenario, load.port, host);
    if (scenario.answer.body !== undefined) deepEqual(reply.body, scenario.answer.body, `${name} answers differently`);
    if (/^(raw|defensive|switchyard)/.test(name)) deepEqual(reply, expected, `${name} answers differently`);
  }
}

function sample({ request, answer }: Scenario, port: number, host: string): Promise<SampleReply> {
  return sampleReply(port, { ...request, headers: { ...request.headers, host }, status: answer.status });
}
