/**
 * Clients that change and read the same few items of a store at once, through every serving thread, while the data plane is killed: a
 * history for each item and each life of the data plane.
 */
import { Agent } from 'node:http';
import { askMock } from '../../support/ask-mock.ts';
import type { TestServer } from '../../support/server.ts';
import type { Draws } from '../simulation/draws.ts';
import type { Model, Operation } from './check-history.ts';

export interface StoreCall {
  readonly kind: 'create' | 'replace' | 'remove' | 'read';
  /** What is written; each value once. */
  readonly value?: string;
  /** 0: it was not answered. */
  readonly status: number;
  /** What the answer shows. */
  readonly shown?: string | undefined;
}

const ABSENT = '';

/** One item: its value, or that there is none. */
export const itemModel: Model<string, StoreCall> = {
  initial: ABSENT,
  keyOf: (state) => state,
  isHarmless: ({ kind, status }) => kind === 'read' || status >= 400,
  after(state, { kind, value = ABSENT, status, shown }) {
    const isThere = state !== ABSENT;
    if (status === 0) return kind === 'remove' ? ABSENT : isThere === (kind === 'replace') ? value : state;
    switch (kind) {
      case 'create':
        if (status === 409) return isThere ? state : undefined;
        return status === 201 && !isThere ? value : undefined;
      case 'replace':
        if (status === 404) return isThere ? undefined : state;
        return status === 200 && isThere ? value : undefined;
      case 'remove':
        if (status === 404) return isThere ? undefined : state;
        return status === 200 && isThere && shown === state ? ABSENT : undefined;
      case 'read':
        if (status === 404) return isThere ? undefined : state;
        return status === 200 && shown === state ? state : undefined;
    }
  },
};

const ITEMS = 3;
const JSON_TYPE = { 'content-type': 'application/json' };
const KINDS = ['create', 'replace', 'remove', 'read', 'read'] as const;
const METHODS = { create: 'POST', replace: 'PUT', remove: 'DELETE', read: 'GET' } as const;

interface Work {
  readonly clients: number;
  readonly calls: number;
  /** How often the data plane is killed. */
  readonly kills: number;
  /** Kills it, before it returns; resolves when a new one serves. */
  readonly kill: () => Promise<void>;
}

/** @param session The store of this session, where one is named. @returns For each life of the data plane a history for each item. */
export async function storeHistories(
  server: TestServer,
  mockId: string,
  session: string | undefined,
  draws: Draws,
  { clients, calls, kills, kill }: Work,
): Promise<Operation<StoreCall>[][][]> {
  const newLife = (): Operation<StoreCall>[][] => Array.from({ length: ITEMS }, () => []);
  let life = newLife();
  const lives = [life];
  /** The event of the end of each life. */
  const ends = new Map<Operation<StoreCall>[][], number>();
  let events = 0;
  let values = 0;
  let up = Promise.resolve();
  const killAt = Array.from({ length: kills }, (_, at) => Math.floor((2 * clients * calls * (at + 1)) / (kills + 1)));
  const killNow = async (): Promise<void> => {
    killAt.shift();
    const isBack = kill();
    ends.set(life, ++events);
    life = newLife();
    lives.push(life);
    await isBack;
  };
  const client = async (index: number): Promise<void> => {
    // A connection of its own for all requests, or one for each: these are dealt to the threads in turn.
    const agent = index % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined;
    for (let call = 0; call < calls; call++) {
      if (events >= (killAt[0] ?? Infinity)) up = killNow();
      await up;
      const item = draws.below(ITEMS);
      const kind = KINDS[draws.below(KINDS.length)] as StoreCall['kind'];
      const id = `i${item}`;
      const value = `v${++values}`;
      const body = kind === 'create' || kind === 'replace' ? JSON.stringify({ id, value }) : undefined;
      const own = life;
      const invoked = ++events;
      const written = body === undefined ? {} : { value };
      try {
        const { status, text } = await askMock(server.mockPort, kind === 'create' ? '/items' : `/items/${id}`, {
          mock: mockId,
          method: METHODS[kind],
          headers: { ...JSON_TYPE, ...(session === undefined ? {} : { 'x-mock-session': session }) },
          ...(body === undefined ? {} : { body }),
          ...(agent === undefined ? {} : { agent }),
        });
        const shown = status < 300 ? (JSON.parse(text) as { value?: string }).value : undefined;
        const made: StoreCall = { kind, status, shown, ...written };
        own[item]?.push({ call: made, invoked, returned: ++events, certain: true });
      } catch (error) {
        const returned = ends.get(own);
        if (returned === undefined) throw error;
        if (kind === 'read') continue;
        own[item]?.push({ call: { kind, status: 0, ...written }, invoked, returned, certain: false });
      }
    }
    agent?.destroy();
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return lives;
}
