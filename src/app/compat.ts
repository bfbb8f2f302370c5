/** The interfaces of other products in this service: who may call them without a key, and their ports. */
import { OperatorError } from '../base/operator-error.ts';
import type { Principal } from '../model/principal.ts';
import type { Config } from './config.ts';
import type { WireMockPort } from './wiremock-port.ts';

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

/** @throws PortError when the port cannot be listened on. */
export async function wiremockOf(config: Config, apiPort: number): Promise<WireMockPort | undefined> {
  if (config.wiremock === undefined) return undefined;
  const { WireMockPort: Port } = await import('./wiremock-port.ts');
  return Port.listen(config, config.wiremock, apiPort);
}
