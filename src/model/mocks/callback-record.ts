/** Records of callbacks, as kept and as the API returns them. */
import type { Static } from 'typebox';
import { VERIFY_MS_MAX } from '../../limits.ts';
import { listParameters, pageMembers } from '../journal.ts';
import { headerLineSchema } from '../header-lines.ts';
import { CLOSED, Type } from '../schema-type.ts';
import type { Value } from '../schema-value.ts';
import { epochSchema } from './traffic.ts';

const CALLBACK_STATES = ['waiting', 'done', 'failed', 'refused', 'dropped', 'canceled'] as const;
export type CallbackState = (typeof CALLBACK_STATES)[number];

const orNull = (text: string) => Type.Union([Type.String(), Type.Null()], { description: text });

export const callbackRecordSchema = Type.Object(
  {
    id: Type.String(),
    number: Type.Integer({ description: 'Sequence number among the callbacks of the server.' }),
    name: Type.String(),
    requestNumber: Type.Integer({ description: 'Id of the request that triggered it.' }),
    session: orNull('Session of that request.'),
    time: Type.Integer({ description: 'When the mock answered that request, in milliseconds since the Unix epoch.' }),
    method: Type.String(),
    url: Type.String(),
    headers: Type.Array(headerLineSchema, { description: 'Headers of the last attempt.' }),
    body: Type.String({ description: 'First 64 KB of the body: text, or base64 with `bodyEncoding`.' }),
    bodyEncoding: Type.Optional(Type.Literal('base64')),
    bodyTruncated: Type.Boolean(),
    state: Type.Enum([...CALLBACK_STATES], {
      description:
        '`waiting` until the last attempt ends; `done` after a 2xx; `refused` when the target is not allowed; `dropped` beyond the limit of the owner; `canceled` by the end of its session or mock.',
    }),
    problem: orNull('Why it did not succeed.'),
    attempts: Type.Array(
      Type.Object({
        time: Type.Integer(),
        status: Type.Union([Type.Integer(), Type.Null()]),
        problem: orNull('Why there is no status.'),
        ms: Type.Integer({ description: 'Milliseconds until the response head.' }),
      }),
    ),
  },
  { title: 'Callback record' },
);

export type CallbackRecord = Static<typeof callbackRecordSchema>;

/** Criteria for callbacks. Each callback counts once, with all its attempts. */
export const callbackMatchSchema = Type.Object(
  {
    kind: Type.Literal('callback'),
    name: Type.Optional(Type.String()),
    url: Type.Optional(Type.String({ description: 'URL as sent.' })),
    method: Type.Optional(Type.String()),
    header: Type.Optional(Type.Record(Type.String(), Type.String())),
    bodyContains: Type.Optional(Type.String({ description: 'Part of the first 64 KB of the body.' })),
    state: Type.Optional(Type.Enum([...CALLBACK_STATES])),
    attempts: Type.Optional(Type.Integer({ minimum: 0, description: 'Count of attempts.' })),
  },
  CLOSED,
);

export interface CallbackFilter extends Omit<Value<typeof callbackMatchSchema>, 'kind'> {
  readonly session?: string;
}

export interface CallbackQuestion {
  readonly mockId: string;
  /** A session: with the time when it was made, since its id may have been that of another. */
  readonly scope?: { readonly session: string; readonly createdAt: number };
  readonly filter: CallbackFilter;
  /** Only those with a lower number. */
  readonly before?: number;
  readonly limit: number;
  /** The answer waits until the revision is another one, for so long. */
  readonly after?: { readonly revision: string; readonly waitMs: number };
}

/** The newest first. */
export interface CallbackPage {
  readonly records: readonly CallbackRecord[];
  /** All that fit the filter. */
  readonly total: number;
  readonly hasMore: boolean;
  /** Whether any were forgotten. */
  readonly truncated: boolean;
  /** Differs after each change of a callback of the mock. */
  readonly revision: string;
  readonly epoch: string;
  /** When that began: milliseconds since 1970. */
  readonly epochSince: number;
}

const filters = {
  state: Type.Optional(Type.Enum([...CALLBACK_STATES])),
  name: Type.Optional(Type.String({ maxLength: 100 })),
  ...listParameters('callback', 'list'),
  after: Type.Optional(
    Type.String({ maxLength: 60, description: 'A `revision`: with `waitMs`, waits until the revision differs.' }),
  ),
  waitMs: Type.Optional(Type.Integer({ minimum: 0, maximum: VERIFY_MS_MAX, default: 0 })),
};

export const sessionCallbackQuerySchema = Type.Object(filters);
export const callbackQuerySchema = Type.Object({
  session: Type.Optional(Type.String({ description: 'Id of a session.' })),
  ...filters,
});

export const callbackPageSchema = Type.Object({
  data: Type.Array(callbackRecordSchema),
  ...pageMembers('callback'),
  revision: Type.String({ description: 'Changes with each change of the list.' }),
  epoch: epochSchema,
});
