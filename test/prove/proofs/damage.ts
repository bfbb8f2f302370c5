/**
 * The data file of a stopped server is damaged at random places: bytes flipped and overwritten, pages zeroed, the file cut short. Each damaged
 * copy is checked as `switchyard check` does, and then served.
 *
 * Either the check names the damage, or each owner is shown exactly as it was. Whatever the file holds, only the inspection process may die of it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspectStore } from '../../../src/store/check/inspection.ts';
import { STORE_FILE } from '../../../src/store/lmdb-store.ts';
import { Choices } from '../kill/load.ts';
import { serve } from '../../support/process.ts';
import { rulePayload } from '../../support/samples.ts';
import { temporaryDirectory, TestServer } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const PAGE = 4_096;
const OWNERS = ['alpha', 'beta', 'gamma', 'delta'];
const RULES_PER_OWNER = 60;
const TRIES: Record<Effort, number> = { full: 120, short: 8 };
const TRYING_SECONDS = 75;
/** Servers at a time: each start waits for processes that start. */
const LANES = 2;

interface Damage {
  readonly kind: string;
  /** Tells it again: where, and what. */
  readonly name: string;
  readonly make: (copy: Buffer) => Buffer;
}

interface Store {
  readonly bytes: Buffer;
  readonly keys: ReadonlyMap<string, string>;
  /** What each owner is shown of all it has. */
  readonly shown: ReadonlyMap<string, string>;
}

export const proof: Proof = {
  name: 'damage',
  promise: 'A damaged data file is named by a check, or all that is read of it is as it was; no server dies of it.',
  async run(tally: Tally, effort: Effort) {
    const store = await makeStore();
    const tries = tally.within(TRYING_SECONDS, 'damages', damages(store.bytes, TRIES[effort]));
    const lanes = Array.from({ length: LANES }, async () => {
      const directory = temporaryDirectory();
      // The lanes share one generator: each takes the next damage.
      for (const damage of tries) {
        rmSync(directory, { recursive: true, force: true });
        mkdirSync(directory);
        writeFileSync(join(directory, STORE_FILE), damage.make(Buffer.from(store.bytes)));
        await tryDamage(tally, store, directory, damage);
      }
    });
    await Promise.all(lanes);
  },
};

/** A store with rules of all lengths, groups, mocks with versions, and answers to repeat. */
async function makeStore(): Promise<Store> {
  const server = await TestServer.start(['--no-bootstrap', '--log-level', 'warn']);
  const keys = new Map<string, string>();
  for (const owner of OWNERS) keys.set(owner, await server.key(owner));
  await Promise.all(OWNERS.map((owner) => fill(server, keys.get(owner) as string, owner)));
  const shown = new Map<string, string>();
  for (const owner of OWNERS) shown.set(owner, (await show(server.port, keys.get(owner) as string)).shown ?? '');
  await server.end();
  return { bytes: readFileSync(join(server.data, STORE_FILE)), keys, shown };
}

async function fill(server: TestServer, key: string, owner: string): Promise<void> {
  const ask = async (method: string, path: string, body?: object, retry?: string): Promise<{ id: string }> => {
    const headers = retry === undefined ? {} : { 'idempotency-key': retry };
    const { status, json } = await server.request(method, `/v1${path}`, { key, body, headers });
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json.data as { id: string };
  };
  const { id: groupId } = await ask('POST', '/groups', { name: owner });
  for (let index = 0; index < RULES_PER_OWNER; index++) {
    const description = `${owner} ${index} `.repeat((index * 7) % 100);
    await ask('POST', '/rules', rulePayload('Cancel', { name: `${index}`, description, groupId }), `rule ${index}`);
  }
  const routes = (body: string): object[] => [{ method: 'GET', path: '/', responses: [{ body }] }];
  for (const length of [10, 300, 20_000]) {
    const { id } = await ask('POST', '/mocks', { name: `${length}`, routes: routes(owner.repeat(length)) });
    await ask('PUT', `/mocks/${id}/staged`, { routes: routes(`${owner} again`) });
    await ask('POST', `/mocks/${id}/save`, undefined, `save ${length}`);
  }
}

/** @returns All that an owner is shown, or the statuses of what it was refused. */
async function show(port: number, key: string): Promise<{ shown?: string; refused: readonly number[] }> {
  const refused: number[] = [];
  const ask = async (path: string): Promise<{ data: { id: string }[] }> => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1${path}`, { headers: { 'x-api-key': key } });
    if (answer.status !== 200) refused.push(answer.status);
    return (await answer.json()) as { data: { id: string }[] };
  };
  const pages = [await ask('/rules?pageSize=75'), await ask('/groups?pageSize=75'), await ask('/mocks?pageSize=75')];
  if (refused.length > 0) return { refused };
  for (const { id } of pages[2]?.data ?? []) pages.push(await ask(`/mocks/${id}/staged`));
  // The port of the mocks is another in each life.
  return { shown: JSON.stringify(pages).replaceAll(/localhost:\d+/g, 'localhost'), refused };
}

/** Kinds in turns, places at random, the same in every run. */
function damages({ length }: Buffer, count: number): Damage[] {
  const choices = new Choices(20_000);
  const kinds: (() => Damage)[] = [
    () => {
      const [at, bit] = [choices.below(length), choices.below(8)];
      const make = (copy: Buffer): Buffer => {
        copy[at]! ^= 1 << bit;
        return copy;
      };
      return { kind: 'a bit is flipped', name: `bit ${bit} of byte ${at}`, make };
    },
    () => {
      const [from, bytes, value] = [choices.below(length), 1 + choices.below(64), choices.below(256)];
      const make = (copy: Buffer): Buffer => copy.fill(value, from, Math.min(length, from + bytes));
      return { kind: 'bytes are overwritten', name: `${bytes} bytes from ${from} with ${value}`, make };
    },
    () => {
      const page = choices.below(length / PAGE);
      const make = (copy: Buffer): Buffer => copy.fill(0, page * PAGE, (page + 1) * PAGE);
      return { kind: 'a page is zeroed', name: `page ${page}`, make };
    },
    () => {
      // What is cut to nothing is a new store.
      const end = 1 + choices.below(length - 1);
      return {
        kind: 'the file is cut short',
        name: `${end} of ${length} bytes`,
        make: (copy) => copy.subarray(0, end),
      };
    },
  ];
  return Array.from({ length: count }, (_, index) => (kinds[index % kinds.length] as () => Damage)());
}

async function tryDamage(tally: Tally, store: Store, directory: string, { kind, name }: Damage): Promise<void> {
  const where = `${kind}: ${name}`;
  const depth = { readsValues: true, triesWrite: true };
  const report = await inspectStore(join(directory, STORE_FILE), depth).catch((error: Error) => error);
  const found = report instanceof Error ? [report.message] : [...report.tables, ...report.values];
  const isRefused = report instanceof Error || report.tables.length > 0;
  const told = found.slice(0, 3).join(', ');

  const server = serve(directory, ['--no-bootstrap', '--log-level', 'warn']);
  const port = await server.ready();
  tally.check(
    'what a check refuses is not served, all else is',
    isRefused === (port === undefined),
    () => `${where}: ${told}`,
  );
  if (port === undefined) {
    const { status, stderr } = await server.ended;
    const isTold = status === 2 && /^error: cannot use the data directory [^\n]+\n$/.test(stderr);
    tally.check('a refusal is one line', isTold, () => `${where}: ended with ${status}: ${stderr}; ${told}`);
    return;
  }
  const changed: string[] = [];
  const unnamed: string[] = [];
  for (const owner of OWNERS) {
    const seen = await show(port, store.keys.get(owner) as string).catch(() => undefined);
    if (seen?.shown === store.shown.get(owner)) continue;
    const isDenied =
      seen?.shown === undefined && seen?.refused.every((status) => status === 500 || status === 401) === true;
    if (!isDenied) changed.push(owner);
    else if (found.length === 0) unnamed.push(owner);
  }
  tally.check(kind, unnamed.length === 0, () => `${where}: ${unnamed.join(', ')} refused, and the check found nothing`);
  tally.check(
    'an owner is shown as it was, or refused',
    changed.length === 0,
    () => `${where}: ${changed.join(', ')}; ${told}`,
  );
  server.child.kill('SIGTERM');
  const { status } = await server.ended;
  tally.check('the server ends cleanly', status === 0, () => `${where}: it ended with ${status}`);
}
