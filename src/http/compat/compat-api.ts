/**
 * The admin interfaces of WireMock, in front of a mock or a session, and of mountebank, in front of spaces: for suites that speak to them
 * (docs/compat.md). What they answer is made in `wiremock` and `mountebank`, which the first request loads.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Refusal } from '../../errors.ts';
import { digestSecret } from '../../model/api-key.ts';
import type { Principal } from '../../model/principal.ts';
import { Type } from '../../model/schema-type.ts';
import type { LiveSession } from '../../sessions/live-sessions.ts';
import type { Call } from '../call.ts';
import { endpoint, type Endpoint, type EndpointDoc } from '../endpoint.ts';
import { baseMockId } from '../../model/mocks/base-mock-id.ts';
import { errorsOfRefusal as mountebankErrors } from './mountebank/errors.ts';
import { errorsOfRefusal as wireMockErrors } from './wiremock/errors.ts';

/** Bound of one call: that of an import of stubs. */
const BODY_BYTES_MAX = 10_485_760;

/** `<session>~<secret>`: what begins the rest of a path. */
const OF_WIREMOCK = /^([a-z0-9-]+)~([^/]+)(?=\/|$)/;
/** `<space>~<mock>~<secret>`: a session of the base mock has the id of the space, and the secret. */
const OF_MOUNTEBANK = /^([a-z0-9-]+)~([a-z0-9]+)~([^/]+)$/;

/** @param body As it was sent; undefined without one. */
type AnswerFacade = (call: Call, body: Buffer | undefined) => Promise<void>;

interface Secrets {
  /** A live session, without using it. */
  readonly find: (mockId: string, sessionId: string) => LiveSession | undefined;
  /** Whether the key that made a session may still be used. */
  readonly isValid: (caller: Principal) => boolean;
}

export function compatApi(
  answers: { readonly wiremock: AnswerFacade; readonly mountebank: AnswerFacade },
  secrets: Secrets,
): Endpoint[] {
  return [
    ...facade(answers.wiremock, {
      path: '/compat/wiremock/:id/*',
      callerByPath([mockId = '', rest = '']) {
        const [, sessionId = '', secret = ''] = OF_WIREMOCK.exec(rest) ?? [];
        return callerOf(secrets, mockId, sessionId, secret);
      },
      refusalBody: wireMockErrors,
      atHomeOf: 'mock',
      product: 'WireMock',
      params: {
        id: 'The mock.',
        rest: "`[<session>/]__admin/…`: a path of WireMock's admin API, in front of a session of the mock, or of the mock itself. `<session>~<secret>` needs no key.",
      },
    }),
    ...facade(answers.mountebank, {
      path: '/compat/mountebank/:space/*',
      callerByPath([named = '']) {
        const [, space = '', mockId = '', secret = ''] = OF_MOUNTEBANK.exec(named) ?? [];
        const caller = callerOf(secrets, mockId, space, secret);
        // A secret of another mock's session opens that session alone.
        return caller !== undefined && baseMockId(caller.ownerId) === mockId ? caller : undefined;
      },
      refusalBody: mountebankErrors,
      atHomeOf: ({ ownerId }) => baseMockId(ownerId),
      product: 'mountebank',
      params: {
        space: 'The set of imposters: any id. `<space>~<mock>~<secret>` needs no key.',
        rest: "A path of mountebank's API, such as `imposters/4545/stubs`.",
      },
    }),
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

interface Facade
  extends
    Pick<Endpoint, 'path' | 'callerByPath' | 'refusalBody' | 'atHomeOf'>,
    Required<Pick<EndpointDoc, 'product' | 'params'>> {}

const SUMMARIES = {
  GET: 'Reads',
  POST: 'Creates, and asks what takes a body',
  PUT: 'Creates or replaces',
  PATCH: 'Answers 404: no path has this method',
  DELETE: 'Deletes',
} as const;

function facade(answer: AnswerFacade, { product, params, ...own }: Facade): Endpoint[] {
  // Questions are asked by POST as well: what changes something is for editors, which the façades check.
  const shared = { ...own, access: 'read', takesBearer: true, takesBasic: true, mayBeOpen: true } as const;
  const docOf = (method: keyof typeof SUMMARIES): EndpointDoc => ({
    operationId: `${product.toLowerCase()}${method[0]}${method.slice(1).toLowerCase()}`,
    tag: 'WireMock and mountebank',
    summary: `${SUMMARIES[method]}, through the admin interface of ${product}`,
    answer: Type.Object({}),
    product,
    params,
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
    return void call.later(answer(call, sent === undefined || sent.length === 0 ? undefined : sent), () => undefined);
  };
  return [
    endpoint<undefined>({ method: 'GET', ...shared, doc: docOf('GET'), handle }),
    ...(['POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
      endpoint<Buffer>({ method, ...shared, doc: docOf(method), body, handle }),
    ),
  ];
}
