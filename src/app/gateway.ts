/** Between the gateway and the service: whose keys may use it, the rules of owners, and what the API asks it. */
import { systemClock } from '../base/clock.ts';
import { factsOf, readOrMakeAuthority } from '../egress/ca/authority.ts';
import type { Egress } from '../egress/supervisor/egress.ts';
import type { SentGatewaySession } from '../egress/process/gateway-messages.ts';
import type { GatewayService, GatewaySessionsSource } from '../egress/supervisor/gateway-link.ts';
import type { GatewayQuestions } from '../http/api/gateway/gateway-questions.ts';
import type { Auth } from '../http/admission/auth.ts';
import { storedRules } from '../model/evaluated-rules.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import type { GatewayBook, GatewayPlane, LiveGatewaySession } from '../sessions/gateway-book.ts';
import type { Store } from '../store/store.ts';
import { originOf, type Config } from './config.ts';

/** Names the reader of an owner's rules where a principal is asked for; it leaves no trace. */
const READER = { keyId: '', userId: 'gateway', role: 'viewer' } as const;

export function gatewayService({
  auth,
  config,
  store,
  owners,
}: {
  readonly auth: Pick<Auth, 'authenticate'>;
  readonly config: Pick<Config, 'data' | 'store'>;
  readonly store: Store;
  readonly owners: OwnerDirectory;
}): GatewayService {
  return {
    authority: config.store === undefined ? readOrMakeAuthority(config.data, systemClock()) : undefined,
    authenticate(key) {
      const principal = auth.authenticate(key);
      if (principal === undefined) return undefined;
      const { keyId, ownerId, userId, expiresAt } = principal;
      return { keyId, ownerId, userId, expiresAt };
    },
    isValid(keyId) {
      const key = store.keys.find(keyId);
      return key !== undefined && key.revocationDate === null;
    },
    keysGeneration: () => store.keys.generation(),
    storedRules: (ownerId) =>
      new Promise((resolve) => owners.query(storedRules, undefined, { ...READER, ownerId }, resolve)),
  };
}

export function gatewayQuestions(egress: Egress, { host }: Config): GatewayQuestions {
  return {
    state() {
      const { gateway } = egress;
      return gateway && { port: gateway.port, epoch: gateway.epoch, restarts: egress.figures?.restarts ?? 0 };
    },
    authority() {
      const authority = egress.gateway?.link.authority;
      return authority && { certificate: authority.certificate, facts: factsOf(authority) };
    },
    serverAt: (port) => originOf({ host, tlsCert: undefined }, port),
    exchanges: (ownerId, filter) => egress.ask('exchanges', { ownerId, filter }),
    exchange: (ownerId, number) => egress.ask('exchange', { ownerId, number }),
    counts: (ownerId) => egress.ask('exchangeCounts', { ownerId }),
    reset: (ownerId) => egress.ask('resetExchanges', { ownerId }),
    sessionCounts: (ownerId, session) => egress.ask('sessionCounts', { ownerId, session }),
  };
}

/** What the book of sessions asks the egress process. */
export function gatewayPlane(egress: Egress): GatewayPlane {
  return {
    get epoch() {
      return egress.gateway?.epoch;
    },
    put: async (live) => (await egress.gateway?.link.putSession(live.ownerId, sentSession(live))) === true,
    end: async (ownerId, sessionId) => egress.gateway?.link.endSession(ownerId, sessionId),
    async uses(ownerId) {
      const epoch = egress.gateway?.epoch;
      const sessions = await egress
        .ask('gatewaySessions', ownerId === undefined ? {} : { ownerId })
        .catch(() => undefined);
      return epoch === undefined || sessions === undefined ? undefined : { sessions, epoch };
    },
  };
}

/** What the egress process is told of the book. */
export function gatewaySessionsSource(book: GatewayBook): GatewaySessionsSource {
  return {
    *sessions() {
      for (const live of book.all()) yield { ownerId: live.ownerId, session: sentSession(live) };
    },
    mockWanted: (...wanted) => book.mockWanted(...wanted),
  };
}

function sentSession({ session, mocks }: LiveGatewaySession): SentGatewaySession {
  const { id, createdAt, overlay } = session;
  return { id, createdAt, overlay, mocks: [...mocks.keys()] };
}
