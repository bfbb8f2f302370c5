/** What the options of `serve` say of the gateway. */
import type { Config } from '../app/config.ts';
import { OperatorError } from '../base/operator-error.ts';

/** @throws OperatorError where one of both is missing. */
export function authorityFiles({ gatewayCa, gatewayCaKey }: Record<string, unknown>): Config['gatewayAuthority'] {
  if (gatewayCa === undefined && gatewayCaKey === undefined) return undefined;
  if (gatewayCa === undefined) throw new OperatorError('--gateway-ca-key needs --gateway-ca');
  if (gatewayCaKey === undefined) throw new OperatorError('--gateway-ca needs --gateway-ca-key');
  return { certificate: gatewayCa as string, key: gatewayCaKey as string };
}

/** @throws OperatorError for a port that another part has. */
export function gatewayPort({ gatewayPort: port, ...given }: Record<string, unknown>): number | undefined {
  if (port === undefined) return undefined;
  if (port !== 0 && (port === given.port || port === given.mockPort)) {
    throw new OperatorError(
      `--gateway-port is ${port as number}, as another port: choose another, or 0 for a free one`,
    );
  }
  return port as number;
}
