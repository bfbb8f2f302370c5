/** The interfaces of other products in this service: who may call them without a key, and their ports. */
import { OperatorError } from '../base/operator-error.ts';
import { PortError } from '../base/port-error.ts';
import { isRefusal, type Refusal } from '../errors.ts';
import type { RealPorts } from '../http/compat/mountebank/question.ts';
import type { HttpServer } from '../http/server.ts';
import { IMPOSTER_PORTS_MAX } from '../limits.ts';
import { createMock } from '../model/mocks/decide/decide-mock.ts';
import { mockParser } from '../model/mocks/definition/mock-payload.ts';
import type { Mock } from '../model/mocks/mock.ts';
import { readMock } from '../model/mocks/show/query-mock.ts';
import type { Principal } from '../model/principal.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import type { DataPlane } from '../serving/supervisor/data-plane.ts';
import { originOf, type Config } from './config.ts';

/** The space whose calls have a port of their own, and whose imposters may have theirs. */
const MAIN_SPACE = 'main';

/** The ports of other products; undefined where one has none. */
export interface CompatPorts {
  readonly wiremock: number | undefined;
  readonly mountebank: number | undefined;
}

/** @throws OperatorError where others than this machine's users would need no key. */
export function checkOpen({ compatOpen, host }: Config, onLoopback: boolean): void {
  if (!compatOpen || onLoopback) return;
  throw new OperatorError(
    `--compat-open needs a loopback address as --host: at ${host} others could call without a key`,
  );
}

/** @returns undefined where everyone needs a key. */
export function openCallerOf({ compatOpen, mockOwner }: Config): Principal | undefined {
  return compatOpen ? { keyId: 'compat-open', ownerId: mockOwner, userId: 'compat', role: 'editor' } : undefined;
}

/**
 * WireMock's port is one of the data plane: calls of its interface go from there to the API. mountebank's is one more of the API.
 *
 * @throws PortError when a port cannot be listened on.
 */
export async function openCompatPorts(config: Config, http: HttpServer, dataPlane: DataPlane): Promise<CompatPorts> {
  const { host, wiremock, mountebank, tlsCert } = config;
  const own =
    mountebank === undefined
      ? undefined
      : http.listenAt(mountebank, `/compat/mountebank/${MAIN_SPACE}`, '--mountebank');
  if (wiremock === undefined) return { wiremock: undefined, mountebank: own };
  const { port, mockId } = wiremock;
  const adminUrl = `${originOf(config, http.port)}/compat/wiremock/${mockId}`;
  const bound = await dataPlane.ports.open({ port, isTls: tlsCert !== undefined, to: { mockId, adminUrl } });
  if (bound === undefined) throw new PortError(host, port, '--wiremock');
  return { wiremock: bound, mountebank: own };
}

/** Where imposters are listened on; undefined where their ports are names alone. */
export function realPortsOf({ imposterPorts, host, tlsCert }: Config, { ports }: DataPlane): RealPorts | undefined {
  if (imposterPorts === undefined) return undefined;
  return {
    ...imposterPorts,
    space: MAIN_SPACE,
    isFull: () => ports.sessionCount >= IMPOSTER_PORTS_MAX,
    hasTls: tlsCert !== undefined,
    async open({ port, isTls, ...to }) {
      return (await ports.open({ port, isTls, to })) !== undefined;
    },
    urlOf: (port, isTls) => originOf({ host, tlsCert: isTls ? tlsCert : undefined }, port),
  };
}

/** Makes the mock of `--wiremock`, unless it is there. @throws OperatorError when another owner has one of its id. */
export async function ensureWireMock(
  { wiremock, mockOwner: ownerId, limits }: Config,
  owners: OwnerDirectory,
): Promise<void> {
  if (wiremock === undefined) return;
  const { mockId: id } = wiremock;
  const caller: Principal = { keyId: 'wiremock', ownerId, userId: 'wiremock', role: 'editor' };
  const found = await new Promise<Mock | Refusal>((resolve) => {
    owners.query(readMock, { mockId: id }, caller, resolve);
  });
  if (!isRefusal(found)) return;
  const settings = { precedence: 'listed', cors: false, sessions: 'auto' };
  const draft = mockParser(limits).mock({ id, name: id, start: true, settings, routes: [] });
  const made = await new Promise<Mock | Refusal>((resolve) => {
    owners.command(createMock, { draft }, caller, resolve);
  });
  if (isRefusal(made))
    throw new OperatorError(`--wiremock cannot make the mock "${id}" of ${ownerId}: ${made.message}`);
}
