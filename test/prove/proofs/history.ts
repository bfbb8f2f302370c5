/**
 * The history against what was acknowledged: mixed commands of many users, the process killed under them, entries grown old.
 *
 * Each user sends one command after the other, so that the entries of a user are the acknowledged commands in their order, and between
 * them at most the one whose answer a kill took.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createKey } from '../../../src/cli/keys.ts';
import { eventually, serve, type Running } from '../../support/process.ts';
import { rulePayload } from '../../support/samples.ts';
import { newPlace, temporaryDirectory } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const OWNERS = ['alpha', 'beta'];
const USERS_PER_OWNER = 6;
const ROUNDS = { short: 2, full: 25 };
const ROUNDS_SECONDS = 50;
/** Acknowledged commands of a round before the kill, at the least. */
const ROUND_COMMANDS = { short: 150, full: 400 };
const DAY_MS = 86_400_000;
const RETENTION_DAYS = 60;
const SHIFT_MODULE = pathToFileURL(join(import.meta.dirname, '../../support/shifted-clock.mjs')).href;

interface Entry {
  readonly version: number;
  readonly date: number;
  readonly user: string;
  readonly keyId: string;
  readonly command: string;
  readonly recordIds: readonly string[];
  readonly recordCount: number;
}

/** A command that was sent; without records while its outcome is unknown and it would have made one. */
interface Sent {
  readonly command: string;
  records: readonly string[] | undefined;
  isAcknowledged: boolean;
}

export const proof: Proof = {
  name: 'history',
  onEveryStore: true,
  promise: 'The history has one entry for each commit, of who, what and which record, and no other.',
  runsBeside: 'snapshots',
  async run(tally: Tally, effort: Effort) {
    const data = await newPlace();
    const shiftFile = join(temporaryDirectory(), 'shift');
    const users: User[] = [];
    for (const owner of OWNERS) {
      for (let index = 0; index < USERS_PER_OWNER; index++) {
        const userId = `user${index}`;
        users.push(new User(owner, userId, await createKey(data, { ownerId: owner, userId, role: 'editor' }), index));
      }
    }
    const firstOf = (owner: string): User => users.find((user) => user.owner === owner) as User;
    const start = async (shiftDays = 0, args: readonly string[] = []): Promise<Running> => {
      writeFileSync(shiftFile, String(shiftDays * DAY_MS));
      const env = { NODE_OPTIONS: `--import ${SHIFT_MODULE}`, CLOCK_SHIFT_FILE: shiftFile };
      const server = serve(data, ['--log-level', 'warn', '--workers', '1', ...args], { env });
      const port = await server.ready();
      if (port === undefined) throw new Error(`the server ended: ${(await server.ended).stderr}`);
      for (const user of users) user.port = port;
      return server;
    };

    let server = await start();
    for (const _ of tally.within(ROUNDS_SECONDS, 'rounds that end with a kill', [...Array(ROUNDS[effort]).keys()])) {
      const begun = acknowledgedOf(users);
      const working = Promise.all(users.map((user) => user.work(tally)));
      await eventually(() => acknowledgedOf(users) >= begun + ROUND_COMMANDS[effort], 60_000);
      await sleep(Math.random() * 30);
      server.child.kill('SIGKILL');
      await server.ended;
      await working;
      server = await start();
      for (const owner of OWNERS) {
        const entries = await firstOf(owner).history();
        checkOrder(tally, entries, 1);
        for (const user of users.filter((each) => each.owner === owner)) user.check(tally, entries);
      }
    }

    const [alpha] = OWNERS as [string];
    const old = await firstOf(alpha).history();
    await end(server);
    server = await start(50, ['--history-days', String(RETENTION_DAYS)]);
    const kept = await firstOf(alpha).history();
    tally.check(
      'what is within its retention is there',
      kept.length === old.length,
      () => `${kept.length} of ${old.length}`,
    );
    const { sent } = firstOf(alpha);
    const before = sent.length;
    for (let count = 0; count < 20; count++) await firstOf(alpha).step();
    const count = sent.length - before;
    await end(server);
    server = await start(50 + RETENTION_DAYS - 1, ['--history-days', String(RETENTION_DAYS)]);
    const newest = (old[0] as Entry).version;
    const isPruned = async (): Promise<boolean> => (await firstOf(alpha).history()).at(-1)?.version === newest + 1;
    tally.check('what is past its retention goes', await eventually(isPruned, 10_000), () => 'it is still there');
    const left = await firstOf(alpha).history();
    tally.check('what is within its retention is there', left.length === count, () => `${left.length} of ${count}`);
    checkOrder(tally, left, newest + 1);
    await end(server);
  },
};

function acknowledgedOf(users: readonly User[]): number {
  return users.reduce((sum, { sent }) => sum + sent.filter(({ isAcknowledged }) => isAcknowledged).length, 0);
}

async function end(server: Running): Promise<void> {
  server.child.kill('SIGTERM');
  await server.ended;
}

/** @param oldest The version that the entries go down to. */
function checkOrder(tally: Tally, entries: readonly Entry[], oldest: number): void {
  const newest = entries[0]?.version ?? 0;
  const astray = entries.find(({ version }, index) => version !== newest - index);
  tally.check('versions have no gap', astray === undefined, () => `version ${astray?.version} is out of its place`);
  const last = entries.at(-1)?.version;
  tally.check('versions have no gap', last === oldest, () => `they end at ${last} instead of ${oldest}`);
  const younger = entries.find(({ date }, index) => date > (entries[index - 1]?.date ?? Infinity));
  tally.check('dates never go down', younger === undefined, () => `version ${younger?.version}`);
}

class User {
  port = 0;
  readonly owner: string;
  readonly sent: Sent[] = [];
  readonly #userId: string;
  readonly #key: string;
  readonly #keyId: string;
  readonly #rules: string[] = [];
  readonly #mocks: string[] = [];
  #random: number;

  constructor(owner: string, userId: string, key: string, index: number) {
    this.owner = owner;
    this.#userId = userId;
    this.#key = key;
    this.#keyId = key.split('_')[1] as string;
    this.#random = index * 7_919 + owner.length * 104_729 + 1;
  }

  /** Sends commands until the server is gone, and looks for its own in the history now and then. */
  async work(tally: Tally): Promise<void> {
    try {
      for (;;) {
        await this.step();
        if (this.#draw(10) > 0) continue;
        const { data } = await this.#ask<{ data: Entry[] }>('GET', `/v1/history?pageSize=1&user=${this.#userId}`);
        const last = this.sent.at(-1) as Sent;
        const found = data[0];
        const isThere = found !== undefined && fits(found, last);
        tally.check(
          'an acknowledged command is in the history at once',
          isThere,
          () => `${JSON.stringify(found)} for ${JSON.stringify(last)}`,
        );
      }
    } catch (error) {
      // fetch's way to say that the connection ended.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** One command, drawn at random, on records of its own. */
  async step(): Promise<void> {
    const rule = this.#rules.at(-1);
    const mock = this.#mocks.at(-1);
    switch (this.#draw(8)) {
      case 0:
        if (rule === undefined) return;
        return this.#send('rule.update', 'PUT', `/v1/rules/${rule}`, rulePayload('Cancel', { name: 'changed' }), [
          rule,
        ]);
      case 1:
        if (rule === undefined) return;
        this.#rules.pop();
        return this.#send('rule.delete', 'DELETE', `/v1/rules/${rule}`, undefined, [rule]);
      case 2:
        return this.#deleteGroup();
      case 3:
        await this.#send('mock.create', 'POST', '/v1/mocks', { name: 'm' }, undefined);
        this.#mocks.push(this.sent.at(-1)?.records?.[0] as string);
        return;
      case 4: {
        if (mock === undefined) return;
        const route = { method: 'GET', path: `/${this.sent.length}`, responses: [{}] };
        return this.#send('mock.route.create', 'POST', `/v1/mocks/${mock}/staged/routes`, route, [mock]);
      }
      case 5:
        if (mock === undefined) return;
        return this.#send('mock.save', 'POST', `/v1/mocks/${mock}/save`, undefined, [mock]);
      default:
        await this.#send('rule.create', 'POST', '/v1/rules', rulePayload(), undefined);
        this.#rules.push(this.sent.at(-1)?.records?.[0] as string);
    }
  }

  /** A group of some rules, which go with it. */
  async #deleteGroup(): Promise<void> {
    await this.#send('group.create', 'POST', '/v1/groups', { name: 'g' }, undefined);
    const groupId = this.sent.at(-1)?.records?.[0] as string;
    const rules: string[] = [];
    for (let count = this.#draw(3); count > 0; count--) {
      await this.#send('rule.create', 'POST', '/v1/rules', rulePayload('Cancel', { groupId }), undefined);
      rules.push(this.sent.at(-1)?.records?.[0] as string);
    }
    await this.#send('group.delete', 'DELETE', `/v1/groups/${groupId}`, undefined, [groupId, ...rules]);
  }

  /** @param records What it will have written; undefined for a record that is made. */
  async #send(
    command: string,
    method: string,
    path: string,
    body: unknown,
    records: readonly string[] | undefined,
  ): Promise<void> {
    const sent: Sent = { command, records, isAcknowledged: false };
    this.sent.push(sent);
    const { data } = await this.#ask<{ data?: { id: string } }>(method, path, body);
    sent.records ??= [data?.id as string];
    sent.isAcknowledged = true;
  }

  /** All of its owner's, newest first. */
  async history(): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
      const page: { data: Entry[]; nextBefore: number | null } = await this.#ask(
        'GET',
        `/v1/history?pageSize=75&before=${before}`,
      );
      entries.push(...page.data);
      before = page.nextBefore;
    }
    return entries;
  }

  /** Holds what it sent against its entries among all, one after the other. */
  check(tally: Tally, all: readonly Entry[]): void {
    const entries = all.filter(({ user, keyId }) => user === this.#userId && keyId === this.#keyId).toReversed();
    let next = 0;
    for (const sent of this.sent) {
      const entry = entries[next];
      const isThere = entry !== undefined && fits(entry, sent);
      if (isThere) next++;
      // Known from now on: it happened, or it did not and never will.
      if (!sent.isAcknowledged) {
        if (isThere) {
          sent.records = entry.recordIds;
          sent.isAcknowledged = true;
        }
        continue;
      }
      tally.check('each acknowledged command has its entry', isThere, () => {
        return `${this.owner} ${this.#userId}: ${JSON.stringify(entry)} for ${JSON.stringify(sent)}`;
      });
      if (!isThere) return;
    }
    this.#forgetUnanswered();
    tally.check('there is no other entry', next === entries.length, () => JSON.stringify(entries[next]));
  }

  #forgetUnanswered(): void {
    const known = this.sent.filter(({ isAcknowledged }) => isAcknowledged);
    this.sent.splice(0, this.sent.length, ...known);
  }

  /** @returns 0 to below `count`. */
  #draw(count: number): number {
    this.#random = (this.#random * 48_271) % 2_147_483_647;
    return this.#random % count;
  }

  async #ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Answer;
  }
}

function fits({ command, recordIds, recordCount }: Entry, sent: Sent): boolean {
  if (command !== sent.command) return false;
  if (sent.records === undefined) return recordCount === 1;
  return recordCount === sent.records.length && JSON.stringify(recordIds) === JSON.stringify(sent.records);
}
