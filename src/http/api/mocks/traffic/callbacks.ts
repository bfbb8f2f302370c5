/** The callbacks of a mock, or of one of its sessions: how each went; docs/callbacks.md. */
import { callbackEntry } from '../../../../interchange/formats/har-write.ts';
import { isRefusal, refuse, type Refusal } from '../../../../errors.ts';
import { TRAFFIC_LIMIT_DEFAULT } from '../../../../limits.ts';
import {
  callbackPageSchema,
  callbackQuerySchema,
  sessionCallbackQuerySchema,
  type CallbackPage,
  type CallbackQuestion,
} from '../../../../model/mocks/callback-record.ts';
import type { Endpoint } from '../../../endpoint.ts';
import { operationsOf } from '../../operation.ts';
import { readDeclaredQuery } from '../../declared-query.ts';
import { replyHar, type HarOrigin } from '../../journal/har.ts';
import { replyPage } from '../../journal/page.ts';
import { readLimit } from '../../journal/query.ts';
import type { TrafficSubject, TrafficScope } from './traffic-scope.ts';

export interface MockCallbacks {
  /** @returns Undefined while the process is replaced that sends them. `isFirst`: it was never replaced. */
  callbacks(question: CallbackQuestion): Promise<(CallbackPage & { readonly isFirst: boolean }) | undefined>;
}

export function mockCallbacksApi(
  scopes: readonly TrafficScope[],
  callbacks: MockCallbacks,
  { version }: HarOrigin,
): Endpoint[] {
  return scopes.map((scope) =>
    operationsOf('Traffic', scope)('listCallbacks', 'GET /callbacks', {
      summary: 'List callbacks that the mock sent, newest first, with their attempts',
      query: scope.kind === 'mock' ? callbackQuerySchema : sessionCallbackQuerySchema,
      answer: callbackPageSchema,
      readQuery: (query) => parseCallbackQuery(query, scope.kind),
      async run(call, { found, query }) {
        const page = await callbacksIn(found, query.question, callbacks);
        if (!found.isLive()) return refuse('sessionNotFound');
        if (page === undefined) return refuse('overloaded');
        const { records: entries, hasMore, total, truncated, revision, epoch } = page;
        if (query.format === 'har') {
          const name = `${found.mock.id}-callbacks`;
          return replyHar(call, { ...page, count: total }, { entryOf: callbackEntry, name, version });
        }
        return replyPage(call, { entries, hasMore }, (record) => record, { total, truncated, revision, epoch });
      },
    }),
  );
}

/** Callbacks of the scope. Some are missing when the egress process restarted. */
export async function callbacksIn(
  { mock, live }: TrafficSubject,
  asked: ListQuestion,
  callbacks: MockCallbacks,
): Promise<CallbackPage | undefined> {
  const createdAt = live?.session.createdAt;
  const scope = live === undefined ? {} : { scope: { session: live.session.id, createdAt: live.session.createdAt } };
  const page = await callbacks.callbacks({ mockId: mock.id, ...scope, ...asked });
  if (page === undefined) return undefined;
  const { isFirst, ...found } = page;
  const isWhole = isFirst || (createdAt !== undefined && createdAt > found.epochSince);
  return { ...found, truncated: found.truncated || !isWhole };
}

type ListQuestion = Omit<CallbackQuestion, 'mockId' | 'scope'>;

function parseCallbackQuery(
  query: string,
  kind: TrafficScope['kind'],
): { readonly question: ListQuestion; readonly format: string } | Refusal {
  const schema = kind === 'mock' ? callbackQuerySchema : sessionCallbackQuerySchema;
  const given = readDeclaredQuery(query, schema as typeof callbackQuerySchema, { limit: readLimit });
  if (isRefusal(given)) return given;
  const { format = 'list', after: revision, waitMs = 0, limit = TRAFFIC_LIMIT_DEFAULT, before, ...filter } = given;
  const question = {
    filter,
    ...(before === undefined ? {} : { before }),
    limit,
    ...(revision === undefined ? {} : { after: { revision, waitMs } }),
  };
  return { question, format };
}
