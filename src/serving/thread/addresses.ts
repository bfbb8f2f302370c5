/** Finds the mock and the session that a request names; model/mocks/sessions/address.ts reads the names. */
import {
  isMockId,
  labelsOfHost,
  namesOfLabels,
  namesOfPath,
  pathOfMock,
  SESSION_PREFIX,
  type MockAddress,
} from '../../model/mocks/sessions/address.ts';
import { SESSION_ID } from '../../model/mocks/sessions/session.ts';
import type { AttachedHosts } from '../shared/messages.ts';
import { MockElsewhere, sessionKey, type MockCache } from './mock-cache.ts';
import type { MockHead } from './mock-head.ts';
import type { BoundTo } from '../shared/bound-port.ts';
import type { ServedMock } from './served-mock.ts';

export interface Addressed {
  readonly served: ServedMock;
  /** The path within the mock. */
  readonly path: string;
  /** A session that is named, and that the mock does not have. */
  readonly unknownSession: string | undefined;
}

/** The mock, and the path within it. */
export type ToMock = Pick<Addressed, 'served' | 'path'>;

export class Addresses {
  readonly #hostSuffix: string;
  readonly #attached: AttachedHosts;
  readonly #cache: MockCache;

  constructor(mockDomain: string, attached: AttachedHosts, cache: MockCache) {
    this.#hostSuffix = `.${mockDomain}`;
    this.#attached = attached;
    this.#cache = cache;
  }

  /** The request names a mock. */
  isNamed({ host, path, mockId }: MockHead): boolean {
    return (this.#namesOf(host) ?? namesOfPath(path) ?? mockId) !== undefined;
  }

  /** @returns "absent", or what to wait for: the id of a mock that this thread lacks, or the key of a session. */
  find(head: MockHead): Addressed | MockElsewhere | string {
    const { boundTo } = head;
    if (boundTo !== undefined && this.#isForPort(head)) {
      const { mockId, sessionId, path } = namesAtPort(head.path, boundTo);
      return this.#addressIn(mockId, path, sessionId, head, false);
    }
    const known = head.validHost === undefined ? undefined : this.#cache.findByHost(head.validHost);
    if (known !== undefined) {
      if (head.sessionId !== undefined && known.base === undefined) {
        return this.#inSession(known, head.path, head.sessionId);
      }
      return { served: known, path: head.path, unknownSession: undefined };
    }
    const named = this.#namesOf(head.host);
    if (named !== undefined) {
      const { mockId, sessionId } = named;
      const addressed = this.#addressIn(mockId, head.path, sessionId, head, true);
      if (addressed !== 'absent') return addressed;
    }
    const byPath = namesOfPath(head.path);
    if (byPath !== undefined) {
      const addressed = this.#addressIn(byPath.mockId, byPath.path, byPath.sessionId, head, false);
      if (addressed !== 'absent') return addressed;
    }
    return head.mockId === undefined ? 'absent' : this.#addressIn(head.mockId, head.path, undefined, head, false);
  }

  #namesOf(host: string): MockAddress | undefined {
    const labels = labelsOfHost(host, this.#hostSuffix);
    if (labels !== undefined) return namesOfLabels(labels);
    const mockId = this.#attached.size === 0 ? undefined : this.#attached.get(host.replace(/:\d*$/, '').toLowerCase());
    return mockId === undefined ? undefined : { mockId, sessionId: undefined };
  }

  /** At a port with a mock of its own, a host may name another. */
  #isForPort({ host }: MockHead): boolean {
    return this.#namesOf(host) === undefined;
  }

  /** The path as a node without the port of its own would get it. */
  pathAnywhere(head: MockHead): string {
    const { path, boundTo } = head;
    return boundTo !== undefined && this.#isForPort(head) ? pathOfMock(boundTo.mockId) + path : path;
  }

  /** @param sessionId What the address of the mock names; headers name one where that names none. */
  #addressIn(
    mockId: string,
    path: string,
    sessionId: string | undefined,
    head: MockHead,
    isByHost: boolean,
  ): Addressed | MockElsewhere | string {
    const served = this.#find(mockId, head);
    if (typeof served === 'string' || served instanceof MockElsewhere) return served;
    if (sessionId !== undefined) {
      const addressed = this.#inSession(served, path, sessionId);
      if (isByHost && head.validHost !== undefined && typeof addressed !== 'string' && addressed.served !== served) {
        this.#cache.rememberHost(head.validHost, addressed.served);
      }
      return addressed;
    }
    if (isByHost && head.validHost !== undefined) this.#cache.rememberHost(head.validHost, served);
    if (head.sessionId !== undefined) return this.#inSession(served, path, head.sessionId);
    return { served, path, unknownSession: undefined };
  }

  /** @returns The key to wait for where this thread has not got the session yet, or it is made with its first request. */
  #inSession(served: ServedMock, path: string, sessionId: string): Addressed | string {
    const session = this.#cache.findSession(served, sessionId);
    if (session !== undefined) return { served: session, path, unknownSession: undefined };
    const isMade = served.makesSessions && SESSION_ID.test(sessionId);
    if (isMade || served.unasked?.has(sessionId) === true) return sessionKey(served.mockId, sessionId);
    return { served, path, unknownSession: sessionId };
  }

  #find(mockId: string, { absentIds }: MockHead): ServedMock | MockElsewhere | string {
    const isAbsent = !isMockId(mockId) || absentIds?.includes(mockId) === true;
    return this.#cache.find(mockId) ?? (isAbsent ? 'absent' : mockId);
  }
}

/** @returns The session that the path names, and the path within the mock. */
function namesAtPort(path: string, { mockId }: BoundTo): MockAddress & { readonly path: string } {
  const named = path.startsWith(SESSION_PREFIX) ? namesOfPath(pathOfMock(mockId) + path) : undefined;
  return named ?? { mockId, sessionId: undefined, path };
}

export function isServed(addressed: Addressed | MockElsewhere | string): addressed is Addressed {
  return typeof addressed !== 'string' && !(addressed instanceof MockElsewhere);
}
