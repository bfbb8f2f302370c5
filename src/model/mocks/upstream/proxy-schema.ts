/** The schemas of what a mock has answered by a real service: docs/mocks-upstream.md, "Pass requests through". */
import { defaultsOf } from '../../normalise.ts';
import { CLOSED, EXPECTED_TYPE, LAST, Type } from '../../schema-type.ts';
import { REDACTED_NAMES_MAX, UPSTREAM_TIMEOUT_MS, UPSTREAM_TIMEOUT_MS_MAX } from '../../../limits.ts';

const upstream = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'URL of the upstream: http or https, with an optional base path.',
});

const edits = (of: string) =>
  Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), value: Type.Union([Type.String(), Type.Null()]) }, CLOSED), {
      maxItems: 100,
      description: `Lines of {name, value} that replace those of ${of}; null removes a header.`,
      [EXPECTED_TYPE]: 'an array of {name, value}',
    }),
  );

const redacted = (what: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: REDACTED_NAMES_MAX,
      description: `Names of ${what}; case does not matter.`,
      [EXPECTED_TYPE]: 'an array of names',
    }),
  );

export const redactShape = Type.Object(
  { headers: redacted('headers'), members: redacted('members of JSON, fields of forms and query parameters') },
  {
    ...CLOSED,
    description: 'Further names to record without their values. Common credentials are always masked.',
  },
);

const HOSTS = ['upstream', 'keep'] as const;
const TEXTS = {
  host: 'The `Host` header: that of the upstream, or that of the client.',
  rewrite: 'Rewrites `Location` headers of the upstream to the mock, and removes `Domain` from cookies.',
  record: 'Whether to record exchanges with the upstream, in memory and without the values of credentials.',
};

export const proxySettingsShape = Type.Object(
  {
    upstream,
    when: Type.Optional(
      Type.Enum(['unmatched', 'always', 'never'], {
        default: 'unmatched',
        description:
          'Which requests to proxy: those that no route answers, all, or only those of responses with `proxy`.',
      }),
    ),
    onFailure: Type.Optional(
      Type.Enum(['error', 'mock'], {
        default: 'error',
        description:
          'What answers when the upstream fails: an error with the reason, or the mock as if it had no upstream.',
      }),
    ),
    timeoutMs: Type.Documented(
      Type.Integer({
        default: UPSTREAM_TIMEOUT_MS,
        minimum: 1,
        maximum: UPSTREAM_TIMEOUT_MS_MAX,
        description: 'Timeout for the response head. After it the client gets 504.',
      }),
    ),
    host: Type.Documented(Type.Enum(HOSTS, { default: 'upstream', description: TEXTS.host })),
    requestHeaders: edits('the request'),
    responseHeaders: edits('the answer'),
    rewrite: Type.Documented(Type.Boolean({ default: true, description: TEXTS.rewrite })),
    mark: Type.Optional(
      Type.Boolean({ default: true, description: 'Adds `x-switchyard-proxied` with the host to responses.' }),
    ),
    rules: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Applies the traffic rules of the owner to proxied requests and their responses.',
      }),
    ),
    record: Type.Optional(Type.Boolean({ default: false, description: TEXTS.record })),
    redact: Type.Optional(redactShape),
  },
  { ...CLOSED, title: 'Proxy settings' },
);
export const PROXY_DEFAULTS = defaultsOf(proxySettingsShape);

export const proxyShape = Type.Nullable({
  ...proxySettingsShape,
  description:
    'The upstream and which requests it answers. null: nothing is proxied, not even by responses with `proxy`.',
});

const { requestHeaders, responseHeaders } = proxySettingsShape.properties;

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
        description: 'Path and query that replace those of the request; rendered when `templated` is true.',
      }),
    ),
  },
  {
    ...CLOSED,
    title: 'Response proxy',
    description: 'Answers with the response of the upstream. Absent members come from the settings.',
    [LAST]: ['host', 'requestHeaders', 'responseHeaders', 'rewrite', 'record'],
  },
);
