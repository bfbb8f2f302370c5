/** Between the gateway and the service: whose keys may use it, the rules of owners, and what the API asks it. */
import { systemClock } from '../base/clock.ts';
import { factsOf, readOrMakeAuthority, readOwnAuthority, type Authority } from '../ca/authority.ts';
import { readOrMakeSealed } from '../ca/sealed-authority.ts';
import type { Egress } from '../egress/supervisor/egress.ts';
import type { SentGatewaySession } from '../egress/process/gateway-messages.ts';
import type { GatewayService, GatewaySessionsSource } from '../egress/supervisor/gateway-link.ts';
import type { MockHomes, NodeGateway, NodeRules } from '../cluster/mock-homes.ts';
import type { GatewayQuestions } from '../http/api/gateway/gateway-questions.ts';
import type { Auth } from '../http/admission/auth.ts';
import { storedRules } from '../model/evaluated-rules.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import type { GatewayBook, GatewayPlane, LiveGatewaySession } from '../sessions/gateway-book.ts';
import type { Store } from '../store/store.ts';
import { OperatorError } from '../base/operator-error.ts';
import { abilitiesOf, gatewayOrigin, type Config } from './config.ts';
import type { Log } from './log.ts';
import type { OpenStore } from './open-store.ts';

const NO_AUTHORITY =
  'the server has no CA, and the gateway refuses tunnels: with --store, a single server needs --gateway-ca and --gateway-ca-key';

/** Names the reader of an owner's rules where a principal is asked for; it leaves no trace. */
const READER = { keyId: '', userId: 'gateway', role: 'viewer' } as const;

/** The authority that the operator gave; undefined without one. @throws OperatorError when it cannot be used. */
export function ownAuthority({ gateway, https, gatewayAuthority }: Config): Authority | undefined {
  if ((gateway === undefined && https === undefined) || gatewayAuthority === undefined) return undefined;
  return readOwnAuthority(gatewayAuthority, systemClock());
}

/** The authority of the gateway and of `--https`. A text says why there is none. */
export async function authorityOf(
  own: Authority | undefined,
  { data, store, node }: Config,
  { authorities }: OpenStore,
  { logger }: Log,
): Promise<Authority | string> {
  const now = systemClock();
  const found = own ?? (await madeAuthority());
  if (typeof found === 'string') logger.warn(found);
  else {
    const { warning, expiresAt } = factsOf(found, now);
    if (warning !== undefined) logger.warn({ expiresAt }, warning);
  }
  return found;

  async function madeAuthority(): Promise<Authority | string> {
    if (store === undefined) return readOrMakeAuthority(data, now);
    if (node === undefined || authorities === undefined) return NO_AUTHORITY;
    try {
      return await readOrMakeSealed(authorities, node.secret, now);
    } catch (error) {
      if (error instanceof OperatorError) return error.message;
      throw error;
    }
  }
}

export function gatewayService({
  auth,
  authority,
  store,
  owners,
  homes,
}: {
  readonly auth: Pick<Auth, 'authenticate'>;
  readonly authority: Authority | string;
  readonly store: Store;
  readonly owners: OwnerDirectory;
  /** Undefined for a server alone. */
  readonly homes: Pick<MockHomes, 'gatewayHome' | 'holdRules'> | undefined;
}): GatewayService {
  return {
    authority,
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
    ownerNode: homes && (async (ownerId) => (await homes.gatewayHome(ownerId))?.address),
    holdRules: homes && ((ownerId) => homes.holdRules(ownerId)),
    storedRules: (ownerId) => owners.ask(storedRules, undefined, { ...READER, ownerId }),
  };
}

/** Parts of the gateway and of rules that a node of a cluster needs. */
export function nodeParts(egress: Egress): { readonly gateway: NodeGateway | undefined; readonly rules: NodeRules } {
  return { gateway: nodeGateway(egress), rules: nodeRules(egress) };
}

function nodeRules(egress: Egress): NodeRules {
  const { link } = egress;
  return {
    publish: async (ownerId) => link.publish(ownerId),
    forget(why) {
      if (egress.gateway !== undefined || link.hasRules) egress.replace(why);
    },
  };
}

/** Undefined where none listens. */
function nodeGateway(egress: Egress): NodeGateway | undefined {
  const { link } = egress;
  if (egress.gateway === undefined) return undefined;
  return {
    setLease: (validUntil) => link.setLease(validUntil),
    setPeers: (addresses) => link.setPeers(addresses),
    release: () => link.release(),
    nodesPath: egress.nodesPath,
    state: () => ({ epoch: egress.gateway?.epoch ?? null, restarts: egress.figures?.restarts ?? 0 }),
  };
}

export function gatewayQuestions(
  egress: Egress,
  config: Config,
  homes: Pick<MockHomes, 'gatewayHome'>,
): GatewayQuestions {
  const ask: Egress['ask'] = async (name, question) => {
    await egress.wakeGateway();
    return egress.ask(name, question);
  };
  return {
    state() {
      const { gateway } = egress;
      return gateway && { ...gateway, restarts: egress.figures?.restarts ?? 0 };
    },
    authority() {
      const { authority } = egress.link;
      return authority && { certificate: authority.certificate, facts: factsOf(authority, systemClock()) };
    },
    async home(ownerId) {
      const home = await homes.gatewayHome(ownerId).catch(() => undefined);
      return home && { nodeId: home.nodeId, life: await home.life() };
    },
    ...abilitiesOf(config),
    serverAt: (port) => gatewayOrigin(config, port),
    exchanges: (ownerId, filter) => ask('exchanges', { ownerId, filter }),
    exchange: (ownerId, number) => ask('exchange', { ownerId, number }),
    counts: (ownerId) => ask('exchangeCounts', { ownerId }),
    reset: (ownerId) => ask('resetExchanges', { ownerId }),
    sessionCounts: (ownerId, session) => ask('sessionCounts', { ownerId, session }),
  };
}

/** Questions of the book of sessions to the egress process. */
export function gatewayPlane(egress: Egress): GatewayPlane {
  return {
    get epoch() {
      return egress.gateway?.epoch;
    },
    async put(live) {
      await egress.wakeGateway();
      return egress.gateway !== undefined && egress.link.putSession(live.ownerId, sentSession(live));
    },
    end: async (ownerId, sessionId) =>
      egress.gateway === undefined ? undefined : egress.link.endSession(ownerId, sessionId),
    reset: async (ownerId, session) => egress.gateway && egress.ask('resetSession', { ownerId, session }),
    async uses(ownerId) {
      const epoch = egress.gateway?.epoch;
      if (epoch === undefined) return undefined;
      const sessions = await egress.ask('gatewaySessions', ownerId === undefined ? {} : { ownerId });
      return sessions && { sessions, epoch };
    },
  };
}

/** Sessions of the book, for the egress process. */
export function gatewaySessionsSource(book: GatewayBook): GatewaySessionsSource {
  return {
    *sessions() {
      for (const live of book.all()) yield { ownerId: live.ownerId, session: sentSession(live) };
    },
    mockWanted: (...wanted) => book.mockWanted(...wanted),
  };
}

function sentSession({ session, mocks }: LiveGatewaySession): SentGatewaySession {
  const { id, label, createdAt, overlay } = session;
  return { id, label, createdAt, overlay, mocks: [...mocks.keys()] };
}
