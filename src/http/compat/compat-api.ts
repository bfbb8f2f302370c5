/**
 * WireMock's admin interface, in front of a mock or a session: for suites that speak to it (docs/compat.md). What it answers is made in
 * `wiremock`, which the first request loads.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Refusal } from '../../errors.ts';
import { digestSecret } from '../../model/api-key.ts';
import type { Principal } from '../../model/principal.ts';
import { Type } from '../../model/schema-type.ts';
import type { LiveSession } from '../../sessions/live-sessions.ts';
import type { Call } from '../call.ts';
import { endpoint, type Endpoint, type EndpointDoc } from '../endpoint.ts';
import { errorsOfRefusal } from './wiremock/errors.ts';

/** Bound of one call: that of an import of stubs. */
const BODY_BYTES_MAX = 10_485_760;

/** `<session>~<secret>`: what begins the rest of a path. */
const WITH_SECRET = /^([a-z0-9-]+)~([^/]+)(?=\/|$)/;

interface Secrets {
  /** A live session, without using it. */
  readonly find: (mockId: string, sessionId: string) => LiveSession | undefined;
  /** Whether the key that made a session may still be used. */
  readonly isValid: (caller: Principal) => boolean;
}

const SUMMARIES = {
  GET: 'Reads',
  POST: 'Create, or query with a body',
  PUT: 'Create or replace',
  PATCH: 'Answer 404: no path supports this method',
  DELETE: 'Deletes',
} as const;

/** @param answer Its `body` is as it was sent; undefined without one. */
export function compatApi(
  answer: (call: Call, body: Buffer | undefined) => Promise<void>,
  secrets: Secrets,
): Endpoint[] {
  const shared = {
    path: '/compat/wiremock/:id/*',
    callerByPath([mockId = '', rest = '']: readonly string[]) {
      const [, sessionId = '', secret = ''] = WITH_SECRET.exec(rest) ?? [];
      return callerOf(secrets, mockId, sessionId, secret);
    },
    refusalBody: errorsOfRefusal,
    atHomeOf: 'mock',
    // Questions are asked by POST as well: what changes something is for editors, which `wiremock` checks.
    access: 'read',
    takesBearer: true,
    takesBasic: true,
    mayBeOpen: true,
  } as const;
  const docOf = (method: keyof typeof SUMMARIES): EndpointDoc => ({
    operationId: `wiremock${method[0]}${method.slice(1).toLowerCase()}`,
    tag: 'WireMock',
    summary: `${SUMMARIES[method]}, through the admin interface of WireMock`,
    answer: Type.Object({}),
    product: 'WireMock',
    params: {
      id: 'Id of the mock.',
      rest: "`[<session>/]__admin/…`: a path of WireMock's admin API, in front of a session of the mock, or of the mock itself. `<session>~<secret>` needs no key.",
    },
    refusals: [],
  });
  const body = {
    schema: Type.Unknown(),
    bytesMax: BODY_BYTES_MAX,
    invalid: 'badRequest',
    anyMediaType: true,
    optional: true,
    read: (bytes: Buffer) => Buffer.from(bytes),
  } as const;
  const handle = (call: Call, sent: Buffer | undefined | Refusal): void => {
    if (sent !== undefined && !Buffer.isBuffer(sent)) return call.refuse(sent);
    return call.beginPromises(() => {
      void call.later(answer(call, sent === undefined || sent.length === 0 ? undefined : sent), () => undefined);
    });
  };
  return [
    endpoint<undefined>({ method: 'GET', ...shared, doc: docOf('GET'), handle }),
    ...(['POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
      endpoint<Buffer>({ method, ...shared, doc: docOf(method), body, handle }),
    ),
  ];
}

function callerOf(
  { find, isValid }: Secrets,
  mockId: string,
  sessionId: string,
  secret: string,
): Principal | undefined {
  const compat = secret === '' ? undefined : find(mockId, sessionId)?.compat;
  if (compat === undefined || !timingSafeEqual(digestSecret(secret), compat.secretDigest)) return undefined;
  return isValid(compat.caller) ? compat.caller : undefined;
}
