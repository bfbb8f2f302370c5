/** Imposters as mountebank prints them, in the order of its members. */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { isRefusal, type Refusal } from '../../../errors.ts';
import type { Stub } from '../world.ts';
import { fail, type Failure } from './errors.ts';
import type { Question } from './question.ts';
import { recordedOf } from './recorded.ts';
import { isSecure, realPortsOf, stubsOf, type Imposter } from './space.ts';

export interface PrintOptions {
  /** Without requests, stubs and what else only one imposter shows. */
  readonly isListed?: boolean;
  /** What may be sent again: without counts, requests and links. */
  readonly isReplayable?: boolean;
  /** Without responses that another server gives. */
  readonly removesProxies?: boolean;
  /** Whether it is an error that requests were dropped: of a change, which is done, what is left is printed. */
  readonly needsAll?: boolean;
}

export async function printImposter(
  { parts, base }: Question,
  imposter: Imposter,
  { isListed = false, isReplayable = false, removesProxies = false, needsAll = false }: PrintOptions = {},
): Promise<JsonObject | Failure | Refusal> {
  const { port, header } = imposter;
  const self = `${base}/imposters/${port}`;
  const recorded = isReplayable ? undefined : await recordedOf(parts, imposter, isListed);
  if (isRefusal(recorded)) return recorded;
  if (needsAll && header.recordRequests === true && (recorded?.dropped ?? 0) > 0)
    return fail(500, 'requests dropped', 'older requests are not kept: delete savedRequests between tests');
  const { name, defaultResponse, allowCORS } = header;
  const stubs = stubsOf(imposter).map((stub, index) => printStub(stub, self, index, isReplayable));
  return {
    protocol: header.protocol,
    port,
    ...(recorded === undefined ? {} : { url: urlOf(parts, imposter) }),
    ...(name ? { name } : {}),
    ...(defaultResponse ? { defaultResponse } : {}),
    ...(recorded === undefined ? {} : { numberOfRequests: recorded.count }),
    ...(isListed ? {} : { recordRequests: Boolean(header.recordRequests), ...(allowCORS ? { allowCORS } : {}) }),
    ...(isListed || recorded === undefined ? {} : { requests: recorded.requests }),
    ...(isListed ? {} : { stubs: removesProxies ? withoutProxies(stubs) : stubs }),
    ...(isReplayable ? {} : { _links: { self: { href: self }, stubs: { href: `${self}/stubs` } } }),
  };
}

function urlOf(parts: Question['parts'], imposter: Imposter): string {
  const { space, port, mock, live } = imposter;
  return realPortsOf(parts, space)?.urlOf(port, isSecure(imposter)) ?? parts.urlOf(mock.id, live.session.id);
}

function printStub({ source }: Stub, imposter: string, index: number, isReplayable: boolean): JsonObject {
  // A client may send back what it read.
  const { _links, ...sent } = source;
  return isReplayable ? sent : { ...sent, _links: { self: { href: `${imposter}/stubs/${index}` } } };
}

/** Stubs that have no other response go with it. */
function withoutProxies(stubs: readonly JsonObject[]): readonly JsonObject[] {
  const isProxy = (response: unknown): boolean => isObject(response) && response.proxy !== undefined;
  const responsesOf = ({ responses }: JsonObject): unknown[] => [responses].flat().filter((each) => !isProxy(each));
  return stubs
    .map((stub) => ({ ...stub, responses: responsesOf(stub) }))
    .filter(({ responses }) => responses.length > 0);
}
