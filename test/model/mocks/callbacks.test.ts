/** Callbacks in definitions: what is refused and where, one order of members, warnings, our own files, and sessions. */
import { expect, test } from 'vitest';
import { isRefusal } from '../../../src/errors.ts';
import { switchyardFormat, writeSwitchyard } from '../../../src/interchange/formats/switchyard.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import type { MockDefinition } from '../../../src/model/mocks/definition/definition.ts';
import { mockParser } from '../../../src/model/mocks/definition/mock-payload.ts';
import { definitionInSession } from '../../../src/model/mocks/sessions/definition-in-session.ts';
import { checkOverlayOf } from '../../../src/model/mocks/sessions/session-checks.ts';
import { warningsOf } from '../../../src/model/mocks/show/warnings.ts';
import { turnedRound } from '../../support/behaviour-samples.ts';

const parse = mockParser(DEFAULT_LIMITS);

const WHOLE = {
  name: 'paid',
  url: 'https://hooks.test/paid?id={{body "id"}}',
  method: 'PUT',
  headers: [{ name: 'content-type', value: 'application/json' }],
  body: '{"id":"{{response.body.id}}"}',
  bodyEncoding: 'text',
  templated: 'json',
  delay: { min: 1, max: 5 },
  timeoutMs: 100,
  repeat: 2,
  when: [{ any: [{ target: 'body', property: 'id', operator: 'exists' }] }],
  retry: { max: 2, backoffMs: [10, 20] },
  sign: {
    scheme: 'hmac',
    secret: { variable: 'key' },
    header: 'x-signature',
    value: 't={{timestamp}},v={{signature}}',
    algorithm: 'sha512',
    encoding: 'base64',
    payload: '{{timestamp}}.{{id}}.{{method}}.{{path}}.{{body}}',
    break: 'timestamp',
  },
} as const;

function parsed(...callbacks: object[]): MockDefinition {
  const found = parse.mock({
    name: 'a',
    routes: [{ id: 'a', method: 'POST', path: '/a', responses: [{ id: 'r', callbacks }] }],
  });
  if (isRefusal(found)) throw new Error(JSON.stringify(found.details));
  return found.definition;
}

/** Each as "path: message". */
function problems(callback: object, response: object = {}): string[] {
  const found = parse.response({ callbacks: [{ url: 'http://a.test/', ...callback }], ...response });
  return isRefusal(found) ? (found.details ?? []).map(({ path, message }) => `${path}: ${message}`) : [];
}

test('all members stay, in one order; an empty list is none', () => {
  const one = parsed(WHOLE);
  expect(JSON.stringify(parsed(turnedRound(WHOLE)))).toBe(JSON.stringify(one));
  expect(one.routes[0]?.responses[0]?.callbacks?.[0]).toMatchObject({
    ...WHOLE,
    when: [{ any: [{ target: 'body', property: 'id', operator: 'exists', value: '', invert: false }] }],
  });
  expect(parsed().routes[0]?.responses[0]).not.toHaveProperty('callbacks');
});

test('our own file keeps them', () => {
  const text = writeSwitchyard({ name: 'a', description: '', definition: parsed(WHOLE) });
  expect(switchyardFormat.detect(JSON.parse(text))).toMatchObject({ format: 'switchyard' });
  expect(JSON.parse(text).routes[0].responses[0].callbacks).toEqual([WHOLE]);
});

// reaches CALLBACKS_MAX, CALLBACK_REPEAT_MAX, CALLBACK_TIMEOUT_MS_MAX, CALLBACK_RETRIES_MAX, CALLBACK_BACKOFF_MS_MAX, CALLBACK_BODY_BYTES_MAX
test.each([
  [{ url: 'ftp://a.test/' }, '/callbacks/0/url: expected a URL such as https://hooks.example.com/paid'],
  [{ url: 'hooks.test/x' }, '/callbacks/0/url: expected a URL'],
  [{ url: 'https://me:secret@a.test/' }, '/callbacks/0/url: must not contain a user and password: set a header'],
  [{ url: 'http://0xa9fea9fe/latest' }, '/callbacks/0/url: 169.254.169.254 is a cloud metadata address'],
  [{ url: 'http://[fd00:ec2:0::254]/' }, '/callbacks/0/url: [fd00:ec2::254] is a cloud metadata'],
  [{ url: 'https://a.test/#x' }, '/callbacks/0/url: must not contain a fragment'],
  [{ url: 'https://a.test/{{nope 1', templated: true }, ''],
  [{ url: "{{body 'url'}}", templated: true }, ''],
  [{ url: "{{body 'url'}}" }, '/callbacks/0/url: expected a URL'],
  [{ url: '{{header}}', templated: true }, '/callbacks/0/url: line 1, column 1: header takes 1 to 2 arguments'],
  [{ method: 'post' }, '/callbacks/0/method: expected an HTTP method in upper case'],
  [{ headers: [{ name: 'host', value: 'x' }] }, '/callbacks/0/headers/0: the server sets host'],
  [
    { headers: [{ name: 'X-Switchyard-Depth', value: '0' }] },
    '/callbacks/0/headers/0: the server sets X-Switchyard-Depth',
  ],
  [
    { headers: [{ name: 'a', value: 'b\r\nc' }] },
    '/callbacks/0/headers/0: the value must not contain control characters',
  ],
  [{ body: '%', bodyEncoding: 'base64' }, '/callbacks/0/body: the body is not base64'],
  [{ body: 'x'.repeat(262_145) }, '/callbacks/0/body: must have at most 262144 bytes'],
  [{ body: '{"a":{{method}}', templated: 'json' }, '/callbacks/0/body: the text around the tags is not JSON'],
  [{ delay: { min: 2, max: 1 } }, '/callbacks/0/delay: min is above max'],
  [{ repeat: 6 }, '/callbacks/0/repeat: '],
  [{ timeoutMs: 30_001 }, '/callbacks/0/timeoutMs: '],
  [{ retry: { max: 11 } }, '/callbacks/0/retry/max: '],
  [{ retry: { backoffMs: [60_001] } }, '/callbacks/0/retry/backoffMs/0: '],
  [
    { when: [{ target: 'header', operator: 'exists' }] },
    '/callbacks/0/when/0: a condition on header must have a property',
  ],
  [{ when: [{ all: [] }] }, '/callbacks/0/when/0/all: must have at least one all'],
  [{ sign: { scheme: 'stripe' } }, '/callbacks/0/sign/secret: '],
  [{ sign: { scheme: 'stripe', secret: 's', header: 'x' } }, '/callbacks/0/sign/header: is only for the scheme hmac'],
  [{ sign: { scheme: 'hmac', secret: 's' } }, '/callbacks/0/sign/header: is required by the scheme hmac'],
  [
    { sign: { scheme: 'hmac', secret: 's', header: 'x', value: 'v1' } },
    '/callbacks/0/sign/value: has no {{signature}}',
  ],
  [
    { sign: { scheme: 'hmac', secret: 's', header: 'x', payload: '{{url}}' } },
    '/callbacks/0/sign/payload: {{url}} is unknown; known are timestamp, id,',
  ],
  [
    { sign: { scheme: 'github', secret: 's', break: 'timestamp' } },
    '/callbacks/0/sign/break: the scheme github sends no timestamp',
  ],
  [
    { sign: { scheme: 'standard', secret: 'whsec_%' } },
    '/callbacks/0/sign/secret: the text after whsec_ is not base64',
  ],
  [{ timeout: 1 }, '/callbacks/0/timeout: '],
] as [object, string][])('%j is refused with its place', (callback, expected) => {
  const [first = ''] = problems(callback);
  expect(first.startsWith(expected) && (expected === '') === (first === ''), first).toBe(true);
});

test('they belong to answers of the mock itself, at most ten of them', () => {
  expect(problems({}, { proxy: { upstream: 'http://b.test' } })[0]).toMatch(
    /^\/callbacks: cannot be combined with proxy/,
  );
  const found = parse.response({ callbacks: Array.from({ length: 11 }, () => ({ url: 'http://a.test/' })) });
  expect(isRefusal(found) && found.details?.[0]?.path).toBe('/callbacks');
});

test('warnings name a host that requests choose, a missing variable and helpers that are none', () => {
  const warned = (callback: object): string[] => warningsOf(parsed(callback)).map(({ warning }) => warning);
  expect(warned(WHOLE)).toEqual([
    'has the callback paid with a secret from the variable key, which is not a string in the settings',
  ]);
  for (const url of ["{{body 'url'}}", "https://{{body 'host'}}/x", 'https://a.test{{path}}', 'https://a@{{host}}/'])
    expect(warned({ url, templated: true })[0], url).toContain('whose host comes from the request');
  expect(warned({ url: 'https://a.test/{{path}}', body: '{{nope}}', templated: true })).toEqual([
    'sends {{nope}} unchanged: no helper has this form',
  ]);
});

test('a session changes them or drops them', () => {
  const definition = parsed(WHOLE);
  const of = (merge: object) => {
    const draft = parse.session({ overlay: { responses: { a: { merge } } } });
    if (isRefusal(draft)) throw new Error(JSON.stringify(draft));
    expect(checkOverlayOf(draft.overlay, definition, '/overlay')).toBeUndefined();
    return definitionInSession(definition, draft.overlay).routes[0]?.responses[0];
  };
  expect(of({ status: 201 })?.callbacks).toHaveLength(1);
  expect(of({ callbacks: [] })?.callbacks).toEqual([]);
  expect(of({ callbacks: [{ url: 'http://b.test/' }] })?.callbacks).toEqual([{ url: 'http://b.test/' }]);
  expect(of({ proxy: { upstream: 'http://b.test' } })).not.toHaveProperty('callbacks');
  const refused = parse.session({ overlay: { responses: { a: { merge: { callbacks: [{ url: 'x' }] } } } } });
  expect(isRefusal(refused) && refused.details?.[0]?.path).toBe('/overlay/responses/a/merge/callbacks/0/url');
});
