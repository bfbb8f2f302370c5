/** WireMock's interface in this service: who may call it without a key, its port, and the mock behind that. */
import { OperatorError } from '../base/operator-error.ts';
import { ownPorts } from '../base/own-ports.ts';
import { PortError } from '../base/port-error.ts';
import { isRefusal } from '../errors.ts';
import { createMock } from '../model/mocks/decide/decide-mock.ts';
import { mockParser } from '../model/mocks/definition/mock-payload.ts';
import { readMock } from '../model/mocks/show/query-mock.ts';
import type { Principal } from '../model/principal.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import type { BoundPort } from '../serving/shared/bound-port.ts';
import { originOf, type Config } from './config.ts';

/** @throws OperatorError where others than this machine's users would need no key. */
export function checkOpen({ compatOpen, host }: Config, onLoopback: boolean): void {
  if (!compatOpen || onLoopback) return;
  throw new OperatorError(
    `--compat-open requires a loopback address as --host: on ${host} anyone could call without a key`,
  );
}

/** @returns undefined where everyone needs a key. */
export function openCallerOf({ compatOpen, mockOwner }: Config): Principal | undefined {
  return compatOpen ? { keyId: 'compat-open', ownerId: mockOwner, userId: 'compat', role: 'editor' } : undefined;
}

/** Addresses and ports that `--wiremock` makes the data plane listen on: calls of WireMock's interface go from there to the API. */
export function wireMockPort(config: Config, apiPort: number): BoundPort | undefined {
  const { wiremock } = config;
  return wiremock && { ...wiremock, adminUrl: `${originOf(config, apiPort)}/compat/wiremock/${wiremock.mockId}` };
}

/** @throws PortError when the data plane cannot listen on it. */
export function checkWireMockPort({ wiremock, host }: Config, port: number | undefined): void {
  // More than a mock's: the API answers there, too.
  if (port !== undefined) ownPorts.add(port);
  else if (wiremock !== undefined) throw new PortError(host, wiremock.port, '--wiremock');
}

/** Makes the mock of `--wiremock`, unless it is there. @throws OperatorError when another owner has one of its id. */
export async function ensureWireMock(
  { wiremock, mockOwner: ownerId, limits }: Config,
  owners: OwnerDirectory,
): Promise<void> {
  if (wiremock === undefined) return;
  const { mockId: id } = wiremock;
  const caller: Principal = { keyId: 'wiremock', ownerId, userId: 'wiremock', role: 'editor' };
  const found = await owners.ask(readMock, { mockId: id }, caller);
  if (!isRefusal(found)) return;
  const settings = { precedence: 'listed', cors: false, sessions: 'auto' };
  const draft = mockParser(limits).mock({ id, name: id, start: true, settings, routes: [] });
  const made = await owners.change(createMock, { draft }, caller);
  if (isRefusal(made))
    throw new OperatorError(`--wiremock cannot create the mock "${id}" of ${ownerId}: ${made.message}`);
}
