/** The callbacks of a mock, or of one of its sessions: how each went; docs/callbacks.md. */
import { isRefusal, refuse, type Detail, type Refusal } from '../../../../errors.ts';
import { CALLBACK_PAGE_MAX, TRAFFIC_LIMIT_DEFAULT, VERIFY_MS_MAX } from '../../../../limits.ts';
import {
  callbackPageSchema,
  callbackQuerySchema,
  sessionCallbackQuerySchema,
  type CallbackPage,
  type CallbackQuestion,
} from '../../../../model/mocks/callback-record.ts';
import { endpoint, type Endpoint } from '../../../endpoint.ts';
import { replyList } from '../../../page.ts';
import { onlyValue, queryInteger } from '../../list-query.ts';
import { readDeclaredQuery } from '../../declared-query.ts';
import type { Scoped, TrafficScope } from './traffic-scope.ts';

export interface MockCallbacks {
  /** @returns Undefined while the process is replaced that sends them. `isFirst`: it was never replaced. */
  callbacks(question: CallbackQuestion): Promise<(CallbackPage & { readonly isFirst: boolean }) | undefined>;
}

export function mockCallbacksApi(scopes: readonly TrafficScope[], callbacks: MockCallbacks): Endpoint[] {
  return scopes.map(({ kind, path, suffix, refusals, enter }) =>
    endpoint({
      method: 'GET',
      path: `${path}/callbacks`,
      access: 'read',
      doc: {
        operationId: `listCallbacks${suffix}`,
        tag: 'Traffic',
        summary: 'List callbacks that the mock sent, newest first, with their attempts',
        query: kind === 'mock' ? callbackQuerySchema : sessionCallbackQuerySchema,
        answer: callbackPageSchema,
        refusals: [...refusals, 'badRequest'],
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const question = questionOf(call.head.query, kind);
          if (isRefusal(question)) return call.refuse(question);
          const page = await callbacksIn(scoped, question, callbacks);
          if (!scoped.isLive()) return call.refuse('sessionNotFound');
          if (page === undefined) return call.refuse('overloaded');
          const { records, total, hasMore, truncated, revision, epoch } = page;
          return replyList(
            call,
            records,
            (record) => JSON.stringify(record),
            (written) => {
              const next = hasMore || written < records.length ? records[written - 1]?.number : undefined;
              return `,"total":${total},"nextBefore":${next ?? null},"truncated":${truncated},"revision":"${revision}","epoch":"${epoch}"`;
            },
          );
        }),
    }),
  );
}

/** Callbacks of the scope. Some are missing when the egress process restarted. */
export async function callbacksIn(
  { mock, live }: Scoped,
  asked: Omit<CallbackQuestion, 'mockId' | 'scope'>,
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

function questionOf(query: string, kind: TrafficScope['kind']): Omit<CallbackQuestion, 'mockId' | 'scope'> | Refusal {
  const schema = kind === 'mock' ? callbackQuerySchema : sessionCallbackQuerySchema;
  const given = readDeclaredQuery<typeof callbackQuerySchema>(query, schema as typeof callbackQuerySchema);
  if (isRefusal(given)) return given;
  const parameters = new URLSearchParams(query);
  const details: Detail[] = [];
  const limit = queryInteger(parameters, 'limit', TRAFFIC_LIMIT_DEFAULT, 1, details);
  const before = queryInteger(parameters, 'before', Number.MAX_SAFE_INTEGER, 1, details);
  const waitMs = queryInteger(parameters, 'waitMs', 0, 0, details);
  const revision = onlyValue(parameters, 'after', details);
  if (waitMs > VERIFY_MS_MAX) details.push({ path: 'waitMs', message: `must be at most ${VERIFY_MS_MAX}` });
  if (details.length > 0) return refuse('badRequest', details);
  const { session, name, state } = given;
  return {
    filter: {
      ...(session === undefined ? {} : { session }),
      ...(name === undefined ? {} : { name }),
      ...(state === undefined ? {} : { state }),
    },
    before,
    limit: Math.min(limit, CALLBACK_PAGE_MAX),
    ...(revision === undefined ? {} : { after: { revision, waitMs } }),
  };
}
