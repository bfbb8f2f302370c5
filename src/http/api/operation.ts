/**
 * Operations: the endpoints of the API as its files declare them. A declaration says what callers must know once, beside the handler. The
 * rest of the endpoint follows from it: access, parameters, headers, refusals, the envelope of the answer, and the node that answers.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { JsonObject } from '../../base/json-object.ts';
import { isRefusal, REFUSALS, type Refusal, type RefusalKind } from '../../errors.ts';
import { warningsSchema } from '../../model/mocks/show/warnings.ts';
import { Type } from '../../model/schema-type.ts';
import type { Call } from '../call.ts';
import { endpoint, type Endpoint, type EndpointDoc } from '../endpoint.ts';
import { readDeclaredQuery } from './declared-query.ts';
import { pageSchema } from './list-query.ts';

/** The subject of operations, which their paths lead to: a mock, one of its sessions. */
export interface Subject<Found> {
  /** Paths begin with it. */
  readonly path: string;
  /** Operation ids end with it. */
  readonly suffix?: string;
  /** Finds it, or refuses the call. An error in `use` is a server error. */
  readonly enter: (call: Call, use: (found: Found) => Promise<void> | void) => void;
}

/** The caller alone: for operations that need to find nothing first. */
export function ofCaller(path: string): Subject<undefined> {
  return { path, enter: (call, use) => void call.later(Promise.resolve(undefined), use) };
}

/** The form of the answer: one of these members. */
interface Answer {
  /** `data` is one record, sent with its ETag. */
  readonly record?: TSchema;
  /** Like `record`, with `warnings` beside it. */
  readonly warned?: TObject;
  /** `data` is sent without an ETag. */
  readonly data?: TSchema;
  /** `data` is a list of these. */
  readonly list?: TSchema;
  /** A page of records, with an ETag. */
  readonly page?: TObject;
  /** Nothing but this text. */
  readonly message?: string;
  /** A file of this media type, without the envelope. */
  readonly file?: string;
  /** Server-sent events. */
  readonly events?: true;
  /** Members of the envelope. */
  readonly answer?: TObject;
}

type Columns = Pick<Endpoint, 'isProbe'> & Pick<EndpointDoc, 'summary' | 'params' | 'tagged' | 'untagged'>;

interface Declaration<Value, Query extends TObject> extends Answer, Columns, Pick<Endpoint<Value>, 'body'> {
  /** `read` for a GET and `write` for any other method, unless it says otherwise. */
  readonly access?: Endpoint['access'];
  readonly query?: Query;
  /** Whether `If-Match` guards it. */
  readonly conditional?: true;
  /** Whether an `Idempotency-Key` makes it safe to repeat. */
  readonly repeatable?: true;
  /** Refusals that follow from nothing else here. */
  readonly refuses?: readonly RefusalKind[];
}

/** The subject, the query and the body of a call: none was refused. */
interface OperationInput<Found, Value, Query> {
  readonly found: Found;
  readonly query: Query;
  readonly body: Value;
}

/** A refusal, the value of `data`, or undefined: then the text of `message` is sent, unless the handler has answered. */
type Outcome = object | Refusal | undefined | void;

interface RunDeclaration<Found, Value, Query extends TObject, Read> extends Declaration<Value, Query> {
  /** Reads a query that its schema alone cannot tell right from wrong. */
  readonly readQuery?: (query: string, call: Call) => Read | Refusal;
  /** Runs once the subject is found, the query is read and the body is not refused. */
  run(call: Call, asked: OperationInput<Found, Value, Read>): Promise<Outcome> | Outcome;
}

interface HandlerDeclaration<Value, Query extends TObject>
  extends Declaration<Value, Query>, Pick<Endpoint<Value>, 'handle'> {}

/** @returns Declares an operation without a subject, which decides itself what it refuses first. */
export function operations(tag: string) {
  return <Value = JsonObject, Query extends TObject = TObject>(
    id: string,
    at: string,
    declared: HandlerDeclaration<Value, Query>,
  ): Endpoint => endpointOf(tag, id, at, declared, (call, body) => declared.handle(call, body));
}

/** @returns Declares an operation of a subject; `at` is below the subject's path. */
export function operationsOf<Found>(tag: string, { path, suffix = '', enter }: Subject<Found>) {
  return <Value = JsonObject, Query extends TObject = TObject, Read = Static<Query>>(
    id: string,
    at: string,
    declared: RunDeclaration<Found, Value, Query, Read>,
  ): Endpoint => {
    const { query: schema, readQuery } = declared;
    const read: RunDeclaration<Found, Value, Query, unknown>['readQuery'] =
      readQuery ?? (schema && ((text) => readDeclaredQuery(text, schema)));
    const [method = '', below = ''] = at.split(' ');
    return endpointOf(tag, id + suffix, `${method} ${path}${below}`, declared, (call, body) =>
      enter(call, (found) => {
        const query = read?.(call.head.query, call);
        if (isRefusal(query)) return call.refuse(query);
        if (isRefusal(body)) return call.refuse(body);
        const outcome = declared.run(call, { found, query: query as Read, body });
        if (outcome instanceof Promise) return outcome.then((value) => reply(call, declared, value));
        return reply(call, declared, outcome);
      }),
    );
  };
}

function reply(call: Call, { message }: Answer, outcome: Outcome): void {
  if (isRefusal(outcome)) return call.refuse(outcome);
  if (outcome === undefined) return message === undefined ? undefined : call.succeed(`"message":"${message}"`);
  const json = JSON.stringify(outcome);
  return call.answer(json.length, () => call.succeed(`"data":${json}`));
}

function endpointOf<Value, Query extends TObject>(
  tag: string,
  operationId: string,
  at: string,
  declared: Declaration<Value, Query>,
  handle: Endpoint<Value>['handle'],
): Endpoint {
  const [method, path] = at.split(' ') as [Endpoint['method'], string];
  const { access = method === 'GET' ? 'read' : 'write', isProbe, body } = declared;
  const { summary, params, query, tagged, untagged, file, events } = declared;
  const isUntagged = untagged ?? (declared.data === undefined ? undefined : true);
  const contentType = events === true ? 'text/event-stream' : file;
  const home = homeOf(path);
  const doc: EndpointDoc = {
    operationId,
    tag,
    summary,
    answer: answerOf(declared),
    headers: headersOf(declared),
    refusals: refusalsOf(method, path, access, declared),
    ...(query === undefined ? {} : { query }),
    ...(params === undefined ? {} : { params }),
    ...(tagged === undefined ? {} : { tagged }),
    ...(isUntagged === undefined ? {} : { untagged: isUntagged }),
    ...(contentType === undefined ? {} : { contentType }),
  };
  return endpoint<Value>({
    method,
    path,
    access,
    doc,
    handle,
    ...(isProbe === undefined ? {} : { isProbe }),
    ...(home === undefined ? {} : { atHomeOf: home }),
    ...(body === undefined ? {} : { body }),
  });
}

function answerOf({ record, warned, data, list, page, message, answer }: Answer): TObject {
  if (page !== undefined) return pageSchema(page);
  if (message !== undefined) return Type.Object({ message: Type.Literal(message) });
  if (list !== undefined) return Type.Object({ data: Type.Array(list) });
  if (warned !== undefined) return Type.Object({ data: warned, warnings: warningsSchema });
  const value = record ?? data;
  return value === undefined ? (answer ?? Type.Object({})) : Type.Object({ data: value });
}

function headersOf({
  page,
  events,
  conditional,
  repeatable,
}: Declaration<unknown, TObject>): NonNullable<EndpointDoc['headers']> {
  return [
    ...(page === undefined ? [] : (['If-None-Match'] as const)),
    ...(events === undefined ? [] : (['Last-Event-ID'] as const)),
    ...(conditional === undefined ? [] : (['If-Match'] as const)),
    ...(repeatable === undefined ? [] : (['Idempotency-Key'] as const)),
  ];
}

/** The refusals of a path's parameters, by the segment before them: nothing has this id. */
const NOT_FOUND: Readonly<Record<string, readonly RefusalKind[]>> = {
  rules: ['ruleNotFound'],
  groups: ['invalidGroupId', 'groupNotFound'],
  keys: ['keyNotFound'],
  mocks: ['mockNotFound'],
  sessions: ['sessionNotFound'],
  routes: ['routeNotFound'],
  responses: ['responseNotFound'],
  versions: ['versionNotFound'],
  scenarios: ['scenarioNotFound'],
  stores: ['storeNotFound'],
  ':name': ['itemNotFound'],
  streams: ['streamNotFound'],
  ws: ['socketNotFound'],
  drifts: ['driftNotFound'],
  requests: ['requestNotFound'],
  exchanges: ['exchangeNotFound'],
};

/** In the order in which they are checked. */
const KINDS = Object.keys(REFUSALS) as readonly RefusalKind[];

function refusalsOf(
  method: string,
  path: string,
  access: Endpoint['access'],
  { page, query, body, conditional, repeatable, refuses = [] }: Declaration<unknown, TObject>,
): readonly RefusalKind[] {
  if (access === 'public') return refuses;
  const named = path.split('/').flatMap((segment, index, segments) => {
    if (!segment.startsWith(':')) return [];
    const before = segments[index - 1] ?? '';
    return NOT_FOUND[before === 'requests' && path.startsWith('/v1/gateway/') ? 'exchanges' : before] ?? [];
  });
  const found = new Set(refuses);
  const add = (holds: boolean, ...kinds: readonly RefusalKind[]): void =>
    kinds.forEach((kind) => holds && found.add(kind));
  add(page !== undefined || query !== undefined, 'badRequest');
  add(homeOf(path) === 'gateway', 'gatewayNotRunning');
  if (body !== undefined) found.add(body.invalid);
  // Stores are no part of a mock's file.
  add(conditional === true && /^\/v1\/mocks\/:id(?!.*\/stores\/)/.test(path), 'mockOfFile');
  add((conditional ?? repeatable) === true && method !== 'DELETE', 'limitReached');
  add(repeatable === true, 'idempotencyKeyReused');
  add(conditional === true, 'preconditionFailed');
  return [...named, ...KINDS.filter((kind) => found.has(kind) && !named.includes(kind))];
}

/** Segments below a mock that any node answers: what is in the database. */
const STORED: ReadonlySet<string> = new Set('export staged save discard start stop versions diff'.split(' '));

/**
 * In a cluster, only the home of a mock knows its traffic, sessions and scenarios, and its drift runs go from there. The same holds for the
 * gateway of an owner, but for its settings and its certificate.
 */
function homeOf(path: string): Endpoint['atHomeOf'] {
  const [, , kind, , part] = path.split('/');
  if (kind === 'mocks') return part === undefined || STORED.has(part) ? undefined : 'mock';
  const isOfGateway = path.startsWith('/v1/gateway/') && !/\/(?:ca\.pem|settings)$/.test(path);
  return isOfGateway ? 'gateway' : undefined;
}
