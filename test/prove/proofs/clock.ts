/**
 * The wall clock jumps, forward and back, while clients write: before a restart, across it and after it.
 *
 * The server's own `Date.now` is moved, so that everything that asks for the time sees the jump.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createKey } from '../../../src/cli/keys.ts';
import { serve, type Running } from '../../support/process.ts';
import { newPlace, temporaryDirectory } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/** Where the clock stands, in milliseconds off the real one, one after the other. */
const SHIFTS = [0, HOUR_MS, -HOUR_MS, 2 * YEAR_MS, -20 * YEAR_MS, -1, 500, 10 * YEAR_MS, 0];
const WRITERS = 8;
const SHIFT_MODULE = pathToFileURL(join(import.meta.dirname, '../../support/shifted-clock.mjs')).href;

interface Dated {
  readonly id: string;
  readonly name: string;
  readonly creationDate: number;
  readonly modificationDate: number;
}

export const proof: Proof = {
  name: 'clock',
  onEveryStore: true,
  promise: 'Ids stay unique, lists in order and dates in order when the clock jumps.',
  async run(tally: Tally, effort: Effort) {
    const shiftFile = join(temporaryDirectory(), 'shift');
    const data = await newPlace();
    const key = await createKey(data, { ownerId: 'alpha', userId: 'ann', role: 'editor' });
    const client = new Client(key);
    const start = async (): Promise<Running> => {
      const env = { NODE_OPTIONS: `--import ${SHIFT_MODULE}`, CLOCK_SHIFT_FILE: shiftFile };
      const server = serve(data, ['--log-level', 'warn'], { env });
      const port = await server.ready();
      if (port === undefined) throw new Error(`the server ended: ${(await server.ended).stderr}`);
      client.port = port;
      return server;
    };

    writeFileSync(shiftFile, '0');
    let server = await start();
    const made: Dated[] = [];
    for (let round = 0; round < (effort === 'full' ? 5 : 1); round++) {
      for (const [step, shift] of SHIFTS.entries()) {
        writeFileSync(shiftFile, String(shift));
        const where = `the clock is off by ${shift} ms`;
        const created = await Promise.all(
          Array.from({ length: WRITERS }, (_, index) => client.create(`${round} ${step} ${index}`)),
        );
        const known = new Set(made.map(({ id }) => id));
        for (const rule of created) tally.check('ids are unique', !known.has(rule.id), () => `${rule.id}: ${where}`);
        made.push(...created);
        // The oldest record is the one whose creation lies furthest from now.
        const updated = await client.update(made[round * WRITERS] as Dated);
        for (const rule of [...created, updated]) checkDates(tally, rule, where);
        await checkOrder(tally, client, made.length, where);
        await checkRetry(tally, client, `${round} ${step}`, made, where);
      }
      server.child.kill(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      await server.ended;
      writeFileSync(shiftFile, String(-YEAR_MS * round));
      server = await start();
      await checkOrder(tally, client, made.length, 'after a restart with the clock back');
    }
    server.child.kill('SIGTERM');
    const { status } = await server.ended;
    tally.check('the server lives through it', status === 0, () => `it ended with ${status}`);
  },
};

function checkDates(tally: Tally, { id, creationDate, modificationDate }: Dated, where: string): void {
  tally.check(
    'modificationDate is never before creationDate',
    modificationDate >= creationDate,
    () => `${id} was made at ${creationDate} and changed at ${modificationDate}: ${where}`,
  );
}

/** Creation dates of a list never go down: then the order of creation and that of the dates are one. */
async function checkOrder(tally: Tally, client: Client, count: number, where: string): Promise<void> {
  const listed = await client.list();
  const isWhole = listed.length === count && new Set(listed.map(({ id }) => id)).size === count;
  tally.check('lists are whole', isWhole, () => `${listed.length} of ${count} rules: ${where}`);
  const astray = listed.find((rule, index) => rule.creationDate < (listed[index - 1]?.creationDate ?? 0));
  tally.check('order of creation and of dates agree', astray === undefined, () => `${astray?.id}: ${where}`);
}

/** A POST that is repeated with its Idempotency-Key after the jump makes no second record. */
async function checkRetry(tally: Tally, client: Client, name: string, made: Dated[], where: string): Promise<void> {
  const first = await client.create(name, `retry ${name}`);
  const again = await client.create(name, `retry ${name}`);
  tally.check('a retry has one effect', first.id === again.id, () => `${first.id} and ${again.id}: ${where}`);
  made.push(first);
}

class Client {
  port = 0;
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  async create(name: string, idempotencyKey?: string): Promise<Dated> {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    const body = { name, ruleType: 'Cancel', pairs: [pair(name)] };
    return (await this.#ask<{ data: Dated }>('POST', '/v1/rules', body, headers)).data;
  }

  async update({ id, name }: Dated): Promise<Dated> {
    const body = { name, ruleType: 'Cancel', pairs: [pair(`${name} again`)] };
    return (await this.#ask<{ data: Dated }>('PUT', `/v1/rules/${id}`, body)).data;
  }

  async list(): Promise<Dated[]> {
    const all: Dated[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page: { data: Dated[]; nextOffset: number | null } = await this.#ask(
        'GET',
        `/v1/rules?pageSize=75&offset=${offset}`,
      );
      all.push(...page.data);
      offset = page.nextOffset;
    }
    return all;
  }

  async #ask<Answer>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Answer;
  }
}

function pair(value: string): object {
  return { source: { key: 'Url', operator: 'Contains', value } };
}
