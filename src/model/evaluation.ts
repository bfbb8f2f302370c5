/** Input and output of `POST /rules/evaluate`: docs/api.md, "Evaluate". */
import type { Static } from 'typebox';
import { EVALUATED_URL_CHARS_MAX, SKIPPED_PAGE_DEFAULT, SKIPPED_PAGE_MAX, type Limits } from '../limits.ts';
import { givenHeadersSchema, headerLineSchema } from './header-lines.ts';
import { pairSchema, rulePayloadSchema } from './rule.ts';
import { consoleSchema } from './rule-reports.ts';
import { STATUSES } from './status.ts';
import { CLOSED, EXPECTED, Type } from './schema-type.ts';

const bodyMembers = {
  headers: Type.Optional(givenHeadersSchema),
  body: Type.Optional(Type.String({ description: 'No headers when absent.' })),
  bodyEncoding: Type.Optional(
    Type.Enum(['utf8', 'base64'], { default: 'utf8', description: 'Use `base64` for bytes that are not text.' }),
  ),
};

const requestSchema = Type.Object(
  {
    url: Type.String({ maxLength: EVALUATED_URL_CHARS_MAX, description: 'Absolute URL, http or https.' }),
    method: Type.Optional(
      Type.String({
        pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$",
        default: 'GET',
        [EXPECTED]: 'a method of at most 32 characters',
      }),
    ),
    ...bodyMembers,
  },
  CLOSED,
);

const responseSchema = Type.Object(
  {
    failed: Type.Optional(
      Type.Boolean({ default: false, description: 'The upstream did not answer. Excludes the other members.' }),
    ),
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: 'Required unless it failed.' })),
    statusText: Type.Optional(
      Type.String({ pattern: '^[\\t -~\\u0080-\\uffff]*$', [EXPECTED]: 'a text without control characters' }),
    ),
    ...bodyMembers,
  },
  {
    ...CLOSED,
    description: 'The upstream response. When absent, only the parts of rules that do not depend on it act.',
  },
);

const questionMembers = {
  request: requestSchema,
  response: Type.Optional(responseSchema),
  session: Type.Optional(
    Type.String({
      description: 'A gateway session: evaluates the stored rules with its overlay. Excludes `rules` and `ruleId`.',
    }),
  ),
  groups: Type.Optional(
    Type.Array(Type.Object({ id: Type.String({ minLength: 1 }), status: Type.Enum([...STATUSES]) }), {
      description: 'Only with `rules`: groups of the drafts. Stored groups need not be listed.',
    }),
  ),
  ruleId: Type.Optional(
    Type.String({
      description: 'Evaluates this stored rule alone, as if it and its group were active. Excludes `rules`.',
    }),
  ),
  mode: Type.Optional(
    Type.Enum(['redirect', 'rewrite'], {
      description:
        'Whether a rule that changes the URL redirects the client or rewrites the request. Default: that of the session or the gateway settings; `redirect` for drafts.',
    }),
  ),
  runCode: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether to run rule code. Requires `--rule-code`. Shared state is discarded afterwards.',
    }),
  ),
  details: Type.Optional(
    Type.Enum(['applied', 'all'], {
      default: 'applied',
      description: 'Which skipped rules to list: those for this URL and the closest others, or a page of all.',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 0,
      description: 'With `details: all`: index of the first skipped rule to list.',
    }),
  ),
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: SKIPPED_PAGE_DEFAULT,
      description: `With \`details: all\`: page size. Values over ${SKIPPED_PAGE_MAX} count as ${SKIPPED_PAGE_MAX}.`,
    }),
  ),
};

/** A draft of a rule before its other members are read, as those of rules are. */
export const ruleDraftFrame = Type.Object({ id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })) });

/** Whose members must fit before the drafts are read; these are then read as rules are. */
export const questionSchema = Type.Object(
  {
    ...questionMembers,
    rules: Type.Optional(Type.Array(ruleDraftFrame)),
  },
  CLOSED,
);

export type Question = Static<typeof questionSchema>;
export type GivenMessage = Pick<Question['request'], 'headers' | 'body' | 'bodyEncoding'>;

/** A rule that is not stored, and is called by an id all the same. */
export function ruleDraftSchema(limits: Limits) {
  return Type.Object({
    id: Type.Optional(Type.String({ description: 'Its name in the answer. Default: its place, such as `/rules/0`.' })),
    ...rulePayloadSchema(limits).properties,
    pairs: Type.Array(pairSchema(limits), { minItems: 1 }),
  });
}

/** The whole, for OpenAPI and the client. */
export function evaluatePayloadSchema(limits: Limits) {
  const draft = ruleDraftSchema(limits);
  return Type.Object(
    {
      ...questionMembers,
      rules: Type.Optional(Type.Array(draft, { description: 'Drafts to evaluate instead of the stored rules.' })),
    },
    CLOSED,
  );
}

const text = Type.String();
const textOrNull = Type.Union([Type.String(), Type.Null()]);

const shownBody = {
  headers: Type.Array(headerLineSchema),
  body: Type.Optional(Type.String({ description: 'Absent without a body, or when the body is unknown.' })),
  bodyEncoding: Type.Optional(Type.Literal('base64', { description: 'Present when the body is not valid UTF-8.' })),
};

/** `data` of the answer. */
export const evaluationSchema = Type.Object({
  outcome: Type.Enum(['forward', 'redirect', 'blocked', 'served'], {
    description: 'The outcome: the request continues, or a redirect, a Cancel rule or a Response rule answers it.',
  }),
  request: Type.Object(
    { method: text, url: text, ...shownBody },
    { description: 'The request as the upstream would receive it.' },
  ),
  response: Type.Union([
    Type.Object({ status: Type.Integer(), statusText: Type.Optional(text), ...shownBody }),
    Type.Null({ description: 'Null when none was given and no rule creates one.' }),
  ]),
  location: Type.Union([Type.String(), Type.Null()], { description: 'Target URL of the redirect.' }),
  delayMs: Type.Number(),
  steps: Type.Array(
    Type.Object({
      ruleId: text,
      name: text,
      phase: Type.Enum(['cancel', 'url', 'requestHeaders', 'requestBody', 'delay', 'response', 'responseHeaders']),
      pairId: Type.String({
        description: 'In a draft, a pair without an id is named by its place: `/rules/0/pairs/1`.',
      }),
      changed: Type.Array(
        Type.Object({
          what: Type.Enum(['url', 'header', 'body', 'status']),
          before: textOrNull,
          after: textOrNull,
        }),
      ),
    }),
    { description: 'The changes, in order. Long texts are truncated.' },
  ),
  skipped: Type.Array(
    Type.Object({
      ruleId: text,
      reason: Type.String({ description: 'docs/api.md, "Evaluate", lists them.' }),
      pairId: Type.Optional(text),
      expected: Type.Optional(text),
      actual: Type.Optional(text),
    }),
    { description: 'Rules that did not act, with the reason.' },
  ),
  console: Type.Optional(consoleSchema),
  skippedCount: Type.Integer({ description: 'Counts of all skipped rules, listed or not.' }),
  nextOffset: Type.Union([Type.Integer(), Type.Null()], {
    description: 'With `details: all`: offset of the next page; null on the last.',
  }),
  version: Type.Integer({ description: 'The owner version that was evaluated.' }),
});
