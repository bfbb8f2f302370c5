/**
 * The admin interface of WireMock in front of a mock or a session, for suites that speak to it: docs/compat.md. What it answers is made
 * in `wiremock`, which the first request loads.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Refusal } from '../../errors.ts';
import { digestSecret } from '../../model/api-key.ts';
import type { Principal } from '../../model/principal.ts';
import { Type } from '../../model/schema-type.ts';
import type { LiveSession } from '../../sessions/live-sessions.ts';
import type { Call } from '../call.ts';
import { endpoint, type Endpoint } from '../endpoint.ts';
import { errorsOfRefusal } from './wiremock/errors.ts';

/** Bound of one call: that of an import of stubs. */
const BODY_BYTES_MAX = 10_485_760;

const PATH = '/compat/wiremock/:id/*';
/** `<session>~<secret>`: what begins the rest of a path. */
const SECRET = /^([a-z0-9-]+)~([^/]+)(?=\/|$)/;

/** @param body As it was sent; undefined without one. */
type AnswerWireMock = (call: Call, body: Buffer | undefined) => Promise<void>;

/**
 * @param find    A live session, without using it.
 * @param isValid Whether the key that made a session may still be used.
 */
export function compatApi(
  answer: AnswerWireMock,
  find: (mockId: string, sessionId: string) => LiveSession | undefined,
  isValid: (caller: Principal) => boolean,
): Endpoint[] {
  const callerByPath = ([mockId = '', rest = '']: readonly string[]): Principal | undefined => {
    const [, sessionId = '', secret = ''] = SECRET.exec(rest) ?? [];
    const compat = secret === '' ? undefined : find(mockId, sessionId)?.compat;
    if (compat === undefined || !timingSafeEqual(digestSecret(secret), compat.secretDigest)) return undefined;
    return isValid(compat.caller) ? compat.caller : undefined;
  };
  const shared = {
    path: PATH,
    // Questions are asked by POST as well: what changes something is for editors (answer.ts).
    access: 'read',
    takesBearer: true,
    takesBasic: true,
    mayBeOpen: true,
    callerByPath,
    refusalBody: errorsOfRefusal,
    atHomeOf: 'mock',
  } as const;
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
    return void call.later(answer(call, sent === undefined || sent.length === 0 ? undefined : sent), () => undefined);
  };
  return [
    endpoint<undefined>({ method: 'GET', ...shared, handle }),
    ...(['POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
      endpoint<Buffer>({ method, ...shared, body, handle }),
    ),
  ];
}
