/**
 * The benchmark of the API: `npm run bench:api`, or with `-- --tiny` for a run of seconds that only shows that all of it works.
 *
 * Owns what is compared and the aims beside it. Every figure is a ratio within one run, since absolute figures of one machine
 * say little about another and, with few cores, little about the next minute. Nothing fails on a figure: a reader judges.
 * How rounds are run is compare.ts; the limit that the service is held against is raw-server.ts.
 */
import { deepStrictEqual as deepEqual } from 'node:assert';
import { createKey } from '../src/keys.ts';
import { compare, type Comparison, type RoundPlan } from './compare.ts';
import {
  endAll,
  startRawServer,
  startResidentRules,
  startService,
  temporaryDirectory,
  type Server,
} from './processes.ts';
import { rulePayload, seedRules } from './rules.ts';
import { sampleReply, type SampleRequest } from './sample-reply.ts';
import { printTable, type Row } from './table.ts';

interface Plan extends RoundPlan {
  /** Rules of the owner that is read. */
  readonly ruleCount: number;
  /** Offset of the page that is far from the start. */
  readonly deepOffset: number;
}

const FULL: Plan = { pairsOfRounds: 5, roundSeconds: 3, warmUpSeconds: 2, ruleCount: 100_000, deepOffset: 99_000 };
const TINY: Plan = { pairsOfRounds: 1, roundSeconds: 0.3, warmUpSeconds: 0.1, ruleCount: 1_000, deepOffset: 900 };

const AIM_AGAINST_RAW = 0.7;
const AIM_DEEP_PAGE = 0.9;
const OWNER = 'bench';
const PAGE_RECORDS = 30;

const NOTES = `measured  the service (list: the deep page; resident: bytes of memory)
against   a raw uWebSockets.js app with the same replies and the same durable puts (list: the first page; resident: JSON)
ratio     median over pairs of rounds; of requests/s measured to against, of CPU against to measured: more is better.
          Of memory, measured to against: less is better
rounds    lowest and highest ratio of any pair of rounds
busy      CPU seconds per second of both servers; well below 100 %, the load generator was the limit, and CPU tells more`;

async function run(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const key = await createKey(data, { ownerId: OWNER, userId: OWNER, role: 'editor' });
  const [ruleId = ''] = await seedRules(data, OWNER, plan.ruleCount);
  return [
    ...(await readingARule(plan, data, key, ruleId)),
    ...(await creatingRules(plan, 64)),
    ...(await creatingRules(plan, 512)),
    ...(await readingADeepPage(plan, data, key)),
    ...(await residentRules(data)),
  ];
}

/** A single read against a raw app that answers with the same bytes. */
async function readingARule(plan: Plan, data: string, key: string, ruleId: string): Promise<Row[]> {
  const service = await startService(data);
  const request = { method: 'GET', path: `/v1/rules/${ruleId}`, headers: { 'x-api-key': key } } as const;
  const raw = await startRawTwin(service, request);
  const comparison = await compare(
    { server: service, load: () => ({ ...request, connections: 64 }) },
    { server: raw, load: () => ({ ...request, connections: 64 }) },
    plan,
  );
  await endAll();
  return againstRaw('GET a rule, 64 connections', comparison);
}

/** Durable creates against a raw app that parses the same body, makes the same puts durable and answers with the same bytes. */
async function creatingRules(plan: Plan, connections: number): Promise<Row[]> {
  const data = temporaryDirectory();
  // Each round writes to an owner of its own, and owners leave the memory soon after: the last round finds what the first did.
  const keys: string[] = [];
  for (let round = 0; round <= plan.pairsOfRounds; round++) {
    keys.push(await createKey(data, { ownerId: `${OWNER}-${round}`, userId: OWNER, role: 'editor' }));
  }
  const service = await startService(data, ['--rules-max', '1000000', '--owner-idle', '1000']);
  const request = (round: number) => ({
    method: 'POST' as const,
    path: '/v1/rules',
    headers: { 'x-api-key': keys[round] as string, 'content-type': 'application/json' },
    body: JSON.stringify(rulePayload(round)),
  });
  const raw = await startRawTwin(service, request(0), temporaryDirectory());
  const comparison = await compare(
    { server: service, load: (round) => ({ ...request(round), connections }) },
    { server: raw, load: (round) => ({ ...request(round), connections }) },
    plan,
  );
  await endAll();
  return againstRaw(`POST a rule, ${connections} connections`, comparison);
}

/** A raw app that answers as the service does, which is checked. */
async function startRawTwin(service: Server, request: SampleRequest, data?: string): Promise<Server> {
  const reply = await sampleReply(service.port, request);
  const raw = await startRawServer({ reply, ...(data === undefined ? {} : { data }) });
  deepEqual(await sampleReply(raw.port, request), reply);
  return raw;
}

function againstRaw(name: string, { requestsPerSecond, cpuMicroseconds, busy }: Comparison): Row[] {
  return [
    { name: `${name}: requests/s`, ...requestsPerSecond, unit: '/s', aim: AIM_AGAINST_RAW, busy },
    { name: `${name}: CPU per request`, ...cpuMicroseconds, unit: 'µs', aim: AIM_AGAINST_RAW },
  ];
}

/** A page near the end of a long list against its first page, on one server. */
async function readingADeepPage(plan: Plan, data: string, key: string): Promise<Row[]> {
  const service = await startService(data);
  const page = (offset: number) => ({
    method: 'GET' as const,
    path: `/v1/rules?offset=${offset}&pageSize=${PAGE_RECORDS}`,
    headers: { 'x-api-key': key },
    connections: 64,
  });
  const { requestsPerSecond, busy } = await compare(
    { server: service, load: () => page(plan.deepOffset) },
    { server: service, load: () => page(0) },
    plan,
  );
  await endAll();
  const name = `list at offset ${plan.deepOffset.toLocaleString('en')} against 0: requests/s`;
  return [{ name, ...requestsPerSecond, unit: '/s', aim: AIM_DEEP_PAGE, busy }];
}

/** What a rule takes in memory, against the JSON that a client sees of it. */
async function residentRules(data: string): Promise<Row[]> {
  const { ruleCount, heapBytes, rssBytes, anonymousBytes, jsonBytes } = await startResidentRules(data, OWNER);
  const row = (name: string, bytes: number): Row => ({
    name: `${name} per resident rule, against its JSON`,
    measured: bytes / ruleCount,
    against: jsonBytes / ruleCount,
    ratio: bytes / jsonBytes,
    unit: 'B',
  });
  return [row('heap', heapBytes), row('RSS', rssBytes), row('RSS without mapped files', anonymousBytes)];
}

printTable(await run(process.argv.includes('--tiny') ? TINY : FULL), NOTES);
// The load generator and whatever else is left ends with this process.
process.exit();
