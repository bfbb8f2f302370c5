/** Shared by the commands whose requests go through the gateway of a server: it must run, and they may have a session. */
import { OperatorError } from '../base/operator-error.ts';
import type { GatewaySession } from '../client/gateway-session.ts';
import type { Client } from '../client/index.ts';
import type { GatewaySessionInput, GatewayStatus } from '../client/shapes.ts';

interface SessionChoice {
  /** The id of a live one. */
  readonly session?: string | undefined;
  /** For one that ends with the command. */
  readonly newSession?: GatewaySessionInput | undefined;
}

/**
 * @param server As errors name it.
 * @param use    Gets the session of the choice, if there is one.
 * @throws OperatorError where no gateway accepts requests.
 */
export async function withGateway<Result>(
  client: Client,
  server: string,
  { session: id, newSession }: SessionChoice,
  use: (session: GatewaySession | undefined, status: GatewayStatus) => Promise<Result>,
): Promise<Result> {
  const status = await client.gateway.status();
  if (status.server === null) throw new OperatorError(`${server} has no gateway: start it with --gateway-port`);
  if (!status.running) throw new OperatorError(`the gateway of ${server} is not running: it is being started again`);
  const made = newSession && (await client.gateway.session(newSession));
  // One that does not live is refused here, and not in each request.
  const session = made ?? (id === undefined ? undefined : await client.gateway.openSession(id));
  try {
    return await use(session, status);
  } finally {
    await made?.[Symbol.asyncDispose]();
  }
}
