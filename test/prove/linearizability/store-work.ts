/** Clients that change and read the same few items of a store at once, through every serving thread and over the API: a history for each item. */
import { Agent } from 'node:http';
import { askMock } from '../../support/ask-mock.ts';
import type { TestServer } from '../../support/server.ts';
import type { Draws } from '../simulation/draws.ts';
import type { Model, Operation } from './check-history.ts';

export interface StoreCall {
  readonly kind: 'create' | 'replace' | 'remove' | 'read';
  /** What is written; each value once. */
  readonly value?: string;
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

/** @param session The store of this session, where one is named. @returns A history for each item. */
export async function storeHistories(
  server: TestServer,
  mockId: string,
  session: string | undefined,
  draws: Draws,
  { clients, calls }: { readonly clients: number; readonly calls: number },
): Promise<Operation<StoreCall>[][]> {
  const histories: Operation<StoreCall>[][] = Array.from({ length: ITEMS }, () => []);
  let events = 0;
  let values = 0;
  const client = async (index: number): Promise<void> => {
    // A connection of its own for all requests, or one for each: these are dealt to the threads in turn.
    const agent = index % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined;
    for (let call = 0; call < calls; call++) {
      const item = draws.below(ITEMS);
      const kind = KINDS[draws.below(KINDS.length)] as StoreCall['kind'];
      const id = `i${item}`;
      const value = `v${++values}`;
      const body = kind === 'create' || kind === 'replace' ? JSON.stringify({ id, value }) : undefined;
      const invoked = ++events;
      const { status, text } = await askMock(server.mockPort, kind === 'create' ? '/items' : `/items/${id}`, {
        mock: mockId,
        method: METHODS[kind],
        headers: { ...JSON_TYPE, ...(session === undefined ? {} : { 'x-mock-session': session }) },
        ...(body === undefined ? {} : { body }),
        ...(agent === undefined ? {} : { agent }),
      });
      const shown = status < 300 ? (JSON.parse(text) as { value?: string }).value : undefined;
      const made: StoreCall = { kind, status, shown, ...(body === undefined ? {} : { value }) };
      histories[item]?.push({ call: made, invoked, returned: ++events, certain: true });
    }
    agent?.destroy();
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return histories;
}
