/** Reads the options of `serve` for a node of a cluster. */
import type { Config } from '../app/config.ts';
import { OperatorError } from '../base/operator-error.ts';

/** A command line is seen by others: the secret is in the environment. */
export const SECRET_VARIABLE = 'SWITCHYARD_CLUSTER_SECRET';
const SECRET_CHARS_MIN = 32;
const LEASE_MS_MIN = 1_000;

/** @throws OperatorError where there is none, or one that is too short. */
export function checkedSecret(secret = ''): string {
  if (secret.length < SECRET_CHARS_MIN)
    throw new OperatorError(`${SECRET_VARIABLE} needs ${SECRET_CHARS_MIN} characters or more, the same on every node`);
  return secret;
}

/** @throws OperatorError when something is missing. */
export function nodeConfig(
  given: Record<string, unknown>,
  store: string | undefined,
  secretOf: () => string,
): Config['node'] {
  const id = given.nodeId as string | undefined;
  const listen = given.internalListen as string | undefined;
  if (id === undefined) {
    if (listen !== undefined) throw new OperatorError('--internal-listen needs --node-id');
    return undefined;
  }
  if (store === undefined) throw new OperatorError('--node-id needs --store: nodes share a database');
  if (listen === undefined) throw new OperatorError('--node-id needs --internal-listen');
  const secret = secretOf();
  const address = (given.internalAddress as string | undefined) ?? listen;
  if (/^(0\.0\.0\.0|\[::\]):/.test(address))
    throw new OperatorError('--internal-address is needed: other nodes cannot connect to all addresses');
  const leaseMs = given.mockLease as number;
  if (leaseMs < LEASE_MS_MIN) throw new OperatorError('--mock-lease must be 1s or more');
  return { id, listen, address, secret, leaseMs, drainWaitMs: given.drainWait as number };
}
