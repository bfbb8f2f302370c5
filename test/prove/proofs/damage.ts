/**
 * The data file of a stopped server is damaged: bytes flipped, pages zeroed, filled with garbage or put in another's place, the file cut
 * short. Each damaged copy is looked at as `switchyard check` does, and then served.
 *
 * It must either be refused, with a message that says so, or be served: then each owner is shown exactly as it was, or not at all.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkStore } from '../../../src/store/check/check-store.ts';
import { STORE_FILE } from '../../../src/store/lmdb-store.ts';
import { Choices } from '../kill/load.ts';
import { serve, type Running } from '../../support/process.ts';
import { rulePayload } from '../../support/samples.ts';
import { temporaryDirectory, TestServer } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const PAGE = 4_096;
const OWNERS = ['alpha', 'beta', 'gamma', 'delta'];
const RULES_PER_OWNER = 60;
/** Damages at random places, beside those that are chosen. */
const RANDOM: Record<Effort, number> = { full: 120, short: 3 };
const TRYING_SECONDS = 75;
/** Of those at random places that are refused, one in so many is started: each start takes half a second. */
const REFUSED_STARTED_EACH = 4;
/** Servers at a time: each start waits for processes that start. */
const LANES = 2;
/** Of the chosen ones, how many are tried at short effort: the first of each kind. */
const CHOSEN: Record<Effort, number> = { full: Infinity, short: 2 };

interface Damage {
  readonly kind: string;
  /** Tells it again: where, and what. */
  readonly name: string;
  readonly make: (bytes: Buffer) => Buffer;
  /** Whether it must be refused, since the file says of itself that it is damaged. */
  readonly mustRefuse?: boolean;
}

interface Store {
  readonly directory: string;
  readonly bytes: Buffer;
  readonly keys: ReadonlyMap<string, string>;
  /** What each owner is shown of all it has. */
  readonly shown: ReadonlyMap<string, string>;
}

export const proof: Proof = {
  name: 'damage',
  promise:
    'A damaged data file is noticed: it is refused, or the owners that are not damaged are served and no other is.',
  async run(tally: Tally, effort: Effort) {
    const store = await makeStore();
    const chosen = [...fronts(store.bytes), ...cuts(store.bytes)].filter(
      ({ kind }, index, all) => all.findIndex((other) => other.kind === kind) + CHOSEN[effort] > index,
    );
    const random = anywhere(store.bytes, RANDOM[effort]);
    const tries = tally.within(TRYING_SECONDS, 'damages', [...[...chosen, ...random].entries()]);
    const lanes = Array.from({ length: LANES }, async () => {
      const directory = temporaryDirectory();
      // The lanes share one generator: each takes the next damage.
      for (const [index, damage] of tries) {
        rmSync(directory, { recursive: true, force: true });
        mkdirSync(directory);
        for (const file of [STORE_FILE, `${STORE_FILE}-lock`])
          copyFileSync(join(store.directory, file), join(directory, file));
        writeFileSync(join(directory, STORE_FILE), damage.make(Buffer.from(store.bytes)));
        const isStarted = index < chosen.length || index % REFUSED_STARTED_EACH === 0;
        await tryDamage(tally, store, directory, damage, isStarted);
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
  return { directory: server.data, bytes: readFileSync(join(server.data, STORE_FILE)), keys, shown };
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

/** The two front pages: each lost, each with another transaction or another root. */
function fronts(bytes: Buffer): Damage[] {
  return [0, 1].flatMap((index) => {
    const at = index * PAGE;
    const change = (what: string, make: (copy: Buffer) => void): Damage => ({
      kind: 'a front page is damaged',
      name: `front page ${index}: ${what}`,
      mustRefuse: true,
      make: (copy) => {
        make(copy);
        return copy;
      },
    });
    return [
      change('zeroed', (copy) => copy.fill(0, at, at + PAGE)),
      change('a transaction further', (copy) => copy.writeBigUInt64LE(bytes.readBigUInt64LE(at + 152) + 2n, at + 152)),
      change('another magic', (copy) => copy.writeUInt32LE(1, at + 24)),
      change('of the other', (copy) => bytes.copy(copy, at, PAGE - at, 2 * PAGE - at)),
    ];
  });
}

/** The file cut short at all kinds of places. What is cut to nothing is a new store, and not tried. */
function cuts(bytes: Buffer): Damage[] {
  const { length } = bytes;
  const lengths = [length - PAGE, Math.floor(length / 2), length - 1, 1, 100, PAGE, PAGE + 10, 2 * PAGE, 3 * PAGE];
  return lengths.map((end) => ({
    kind: 'the file is cut short',
    name: `${end} of ${length} bytes`,
    // The last page may be a free one, which nobody misses: then all is served.
    mustRefuse: end < length - PAGE,
    make: (copy) => copy.subarray(0, end),
  }));
}

/** Places and kinds in turns, the same in every run. */
function anywhere(bytes: Buffer, count: number): Damage[] {
  const choices = new Choices(20_000);
  const pages = bytes.length / PAGE;
  const kinds: ((page: number) => Damage)[] = [
    (page) => {
      const [offset, bit] = [choices.below(PAGE), choices.below(8)];
      return {
        kind: 'a bit is flipped',
        name: `bit ${bit} of byte ${offset} of page ${page}`,
        make: (copy) => {
          copy[page * PAGE + offset]! ^= 1 << bit;
          return copy;
        },
      };
    },
    (page) => {
      const [offset, length, value] = [choices.below(PAGE - 64), 1 + choices.below(64), choices.below(256)];
      return {
        kind: 'bytes are overwritten',
        name: `${length} bytes from ${offset} of page ${page} with ${value}`,
        make: (copy) => copy.fill(value, page * PAGE + offset, page * PAGE + offset + length),
      };
    },
    (page) => ({
      kind: 'a page is zeroed',
      name: `page ${page}`,
      make: (copy) => copy.fill(0, page * PAGE, (page + 1) * PAGE),
    }),
    (page) => {
      const seed = choices.below(1_000_000);
      return {
        kind: 'a page is garbage',
        name: `page ${page} from seed ${seed}`,
        make: (copy) => {
          const garbage = new Choices(seed);
          for (let at = page * PAGE; at < (page + 1) * PAGE; at++) copy[at] = garbage.below(256);
          return copy;
        },
      };
    },
    (page) => {
      const [other, from] = [2 + choices.below(pages - 2), choices.below(2) * (PAGE / 2)];
      return {
        kind: 'a page is torn: half of another',
        name: `page ${page} with page ${other} from ${from}`,
        make: (copy) => {
          copy.copy(copy, page * PAGE + from, other * PAGE + from, other * PAGE + from + PAGE / 2);
          return copy;
        },
      };
    },
  ];
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % 2 === 0 ? 0 : (index >> 1) % kinds.length] as (page: number) => Damage;
    return kind(2 + choices.below(pages - 2));
  });
}

async function tryDamage(
  tally: Tally,
  store: Store,
  directory: string,
  damage: Damage,
  isStarted: boolean,
): Promise<void> {
  const { kind, name, mustRefuse = false } = damage;
  const report = await checkStore(join(directory, STORE_FILE), 'values').catch((error: Error) => error);
  const isRefusedByCheck = report instanceof Error || report.trees.length > 0;
  const isWhole = !(report instanceof Error) && report.trees.length + report.values.length === 0;
  tally.check(kind, isRefusedByCheck || !mustRefuse, () => `${name}: not noticed`);
  if (isRefusedByCheck && !isStarted) return;

  const server = serve(directory, ['--no-bootstrap', '--log-level', 'warn']);
  const port = await server.ready();
  if (port === undefined) {
    const { status, stderr } = await server.ended;
    tally.check(
      'a store that cannot be served is refused in a line',
      isRefusedByCheck && status === 2 && /^error: [^\n]*(damaged|not a Switchyard store)[^\n]*\n$/.test(stderr),
      () => `${kind}: ${name}: ended with ${status}: ${stderr}; ${told(report)}`,
    );
    return;
  }
  tally.check('what is refused by a check is not served', !isRefusedByCheck, () => `${kind}: ${name}: ${told(report)}`);
  await checkOwners(tally, store, server, port, { damage, isWhole, told: told(report) });
}

function told(report: Error | { readonly trees: readonly string[]; readonly values: readonly string[] }): string {
  return report instanceof Error ? report.message : [...report.trees, ...report.values].slice(0, 3).join(', ');
}

interface Expected {
  readonly damage: Damage;
  readonly isWhole: boolean;
  readonly told: string;
}

/** Every owner is as it was, or refused, told of by the check, and named in the log; a write of the former succeeds. */
async function checkOwners(
  tally: Tally,
  { keys, shown }: Store,
  server: Running,
  port: number,
  { damage, isWhole, told: reported }: Expected,
): Promise<void> {
  const where = `${damage.kind}: ${damage.name}`;
  const unserved: string[] = [];
  for (const owner of OWNERS) {
    const key = keys.get(owner) as string;
    const seen = await show(port, key).catch(() => undefined);
    if (seen?.shown === undefined) {
      unserved.push(owner);
      tally.check(
        'a damaged owner is refused, and a check tells of it',
        seen !== undefined && seen.refused.every((status) => status === 500 || status === 401) && !isWhole,
        () => `${where}: ${owner}: ${seen?.refused.join(' ')}; the check told: ${reported}`,
      );
      continue;
    }
    tally.check(
      'an owner that is served is shown as it was',
      seen.shown === shown.get(owner),
      () => `${where}: ${owner}`,
    );
    const answer = await fetch(`http://127.0.0.1:${port}/v1/rules`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(rulePayload()),
    }).catch(() => undefined);
    tally.check('an owner that is served can write', answer?.status === 200, () => `${where}: ${owner}`);
  }
  tally.check(
    'the others are served',
    unserved.length <= 1 || damage.kind.startsWith('a page'),
    () => `${where}: ${unserved.join(', ')} are not`,
  );
  server.child.kill('SIGTERM');
  const { status, stdout } = await server.ended;
  // A key that is damaged has no owner yet.
  const unnamed = unserved.find((owner) => !stdout.includes(`"owner":"${owner}"`) && !stdout.includes('damaged'));
  tally.check('the log names what is damaged', unnamed === undefined, () => `${where}: ${unnamed} is not named`);
  tally.check('the server stops cleanly', status === 0, () => `${where}: it ended with ${status}`);
}
