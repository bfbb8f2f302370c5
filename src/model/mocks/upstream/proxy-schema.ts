/** The schemas of what a mock has answered by a real service: docs/mocks.md, "A real service behind a mock". */
import type { Static } from 'typebox';
import { Type } from '../../schema-type.ts';
import { EXPECTED_TYPE } from '../../validate.ts';
import { REDACTED_NAMES_MAX, UPSTREAM_TIMEOUT_MS, UPSTREAM_TIMEOUT_MS_MAX } from '../../../limits.ts';

const NOTHING_ELSE = { additionalProperties: false } as const;

const upstream = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'Its address: http or https, with a base path if it has one.',
});

const edits = (of: string) =>
  Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), value: Type.Union([Type.String(), Type.Null()]) }, NOTHING_ELSE), {
      maxItems: 100,
      description: `Lines of {name, value} that ${of} has in place of its own of that name; null removes them.`,
      [EXPECTED_TYPE]: 'an array of {name, value}',
    }),
  );

const redacted = (what: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: REDACTED_NAMES_MAX,
      description: `Names of ${what}, in any case.`,
      [EXPECTED_TYPE]: 'an array of names',
    }),
  );

export const redactShape = Type.Object(
  { headers: redacted('headers'), members: redacted('members of JSON, fields of forms and query parameters') },
  {
    ...NOTHING_ELSE,
    description: 'What else is recorded without its value. Names of common credentials always are.',
  },
);

const HOSTS = ['upstream', 'keep'] as const;
const TEXTS = {
  host: "The `Host` that is sent: the upstream's own, or the client's.",
  rewrite: "Whether `Location` of the upstream's origin leads to the mock, and cookies lose their `Domain`.",
  record: 'Whether exchanges with the upstream are recorded, in memory, without the values of credentials.',
};

const proxyObject = Type.Object(
  {
    upstream,
    when: Type.Optional(
      Type.Enum(['unmatched', 'always', 'never'], {
        default: 'unmatched',
        description:
          'Which requests are sent on: those that no route answers, all, or only those of responses with `proxy`.',
      }),
    ),
    onFailure: Type.Optional(
      Type.Enum(['error', 'mock'], {
        default: 'error',
        description:
          'What answers where the upstream does not: an error that says why, or the mock as if nothing were sent on.',
      }),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        default: UPSTREAM_TIMEOUT_MS,
        minimum: 1,
        maximum: UPSTREAM_TIMEOUT_MS_MAX,
        description: 'How long the head of the answer may take. Then the client gets 504.',
      }),
    ),
    host: Type.Optional(Type.Enum(HOSTS, { default: 'upstream', description: TEXTS.host })),
    requestHeaders: edits('the request'),
    responseHeaders: edits('the answer'),
    rewrite: Type.Optional(Type.Boolean({ default: true, description: TEXTS.rewrite })),
    mark: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether answers have `x-switchyard-proxied`, with the host.' }),
    ),
    rules: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether the owner's traffic rules act on what is sent on, and on the upstream's answers.",
      }),
    ),
    record: Type.Optional(Type.Boolean({ default: false, description: TEXTS.record })),
    redact: Type.Optional(redactShape),
  },
  { ...NOTHING_ELSE, title: 'Proxy settings' },
);

/** Null: nothing is sent on, not even by a response with `proxy`. */
export const proxyShape = Type.Unsafe<Static<typeof proxyObject> | null>({
  ...proxyObject,
  type: ['object', 'null'],
  description:
    'A real service, and which requests it answers; null: nothing is sent on, not even by a response with `proxy`.',
});

const { requestHeaders, responseHeaders } = proxyObject.properties;

export const responseProxyShape = Type.Object(
  {
    upstream: Type.Optional(upstream),
    host: Type.Optional(Type.Enum(HOSTS, { description: TEXTS.host })),
    requestHeaders,
    responseHeaders,
    rewrite: Type.Optional(Type.Boolean({ description: TEXTS.rewrite })),
    record: Type.Optional(Type.Boolean({ description: TEXTS.record })),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'Path and query to ask for, in place of those of the request; rendered where `templated` is true.',
      }),
    ),
  },
  {
    ...NOTHING_ELSE,
    title: 'Response proxy',
    description: "The upstream's answer is this response. What is absent is that of the settings.",
  },
);
