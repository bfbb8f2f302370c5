/**
 * An admin interface here and its original's there: the same changes, requests and questions in the same order, one history after the other.
 * What is refused here as not exact is not sent there; everything else has the same answer.
 */
import { draws, type Random } from '../../../src/base/seeded-draw.ts';
import { TestServer } from '../../support/server.ts';
import type { Tally } from '../proof.ts';
import { ask } from './both-sides.ts';
import type { Asked, Oracle, Original } from './oracle.ts';

/** A call of an admin interface. `body`: sent as JSON. */
export interface Change {
  readonly method: string;
  /** Below the root of the interface. */
  readonly path: string;
  readonly body?: object;
}

/** What an admin interface answered. */
export interface Reply {
  readonly status: number;
  readonly json: unknown;
}

export interface Side {
  /** Root of the admin interface, and what every call has. */
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where the mock answers, and what stands in front of each path. */
  readonly port: number;
  readonly prefix: string;
}

export interface Live {
  readonly oracle: Oracle;
  /** Begins a history. @returns Ours and the original's. */
  open(
    server: TestServer,
    original: Original,
    key: string,
    number: number,
  ): Promise<readonly [ours: Side, theirs: Side]>;
  /** @returns Draws the next call of the admin interface, or request. */
  begin(random: Random): (step: number) => Change | Asked;
  /** Whether ours says that it does not carry this over exactly. */
  isRefused(change: Change, reply: Reply): boolean;
  /** What both must agree on. */
  said(change: Change, reply: Reply): unknown;
}

const STREAM = 2;

export interface HistoriesExtent {
  readonly histories: number;
  readonly steps: number;
  readonly seed: number;
}

export async function askBothLive(
  live: Live,
  tally: Tally,
  { histories, steps, seed }: HistoriesExtent,
): Promise<void> {
  const server = await TestServer.start();
  const key = await server.key('oracle');
  const original = await live.oracle.start();
  const row = `${live.oracle.name}: histories of its admin interface`;
  for (let number = 0; number < histories; number++) {
    const [ours, theirs] = await live.open(server, original, key, number);
    const draw = live.begin(draws(seed, STREAM, number));
    const history: string[] = [];
    for (let step = 0; step < steps; step++) {
      const drawn = draw(step);
      history.push(JSON.stringify(drawn));
      let isSame = true;
      let shown: readonly unknown[] = [];
      if ('target' in drawn) {
        const [here, there] = [await ask(ours.port, ours.prefix, drawn), await ask(theirs.port, theirs.prefix, drawn)];
        isSame = live.oracle.areMisses(here, there) || JSON.stringify(here) === JSON.stringify(there);
        shown = [here, there];
      } else {
        const here = await call(ours, drawn);
        if (live.isRefused(drawn, here)) {
          history.pop();
          tally.tried(`${live.oracle.name}: refused as not exact`);
          continue;
        }
        const [said, expected] = [live.said(drawn, here), live.said(drawn, await call(theirs, drawn))];
        isSame = JSON.stringify(said) === JSON.stringify(expected);
        shown = [said, expected];
      }
      tally.check(row, isSame, () =>
        [
          `history ${number}: ours and theirs differ behind the last of`,
          ...history.slice(-SHOWN_STEPS),
          ...shown.map(cut),
        ].join('\n  '),
      );
    }
  }
  await server.end();
}

const SHOWN_STEPS = 8;
const SHOWN_CHARS = 600;

function cut(value: unknown): string {
  return JSON.stringify(value).slice(0, SHOWN_CHARS);
}

async function call({ root, headers }: Side, { method, path, body }: Change): Promise<Reply> {
  const response = await fetch(root + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}
