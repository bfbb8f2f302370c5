/**
 * Why a port cannot be listened on, for the person who chose it.
 *
 * uWebSockets.js does not report the reason, so node:net tries the same address once.
 */
import { createServer } from 'node:net';
import { OperatorError } from '../base/operator-error.ts';
import type { PortError } from '../base/port-error.ts';

export async function explainPort({ message, host, port, option }: PortError): Promise<OperatorError> {
  const code = await failureOf(host, port);
  return new OperatorError(`${message}: ${reason(code, host, option)}`);
}

/** @returns undefined when the port can be listened on after all. */
function failureOf(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown error'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function reason(code: string | undefined, host: string, option: PortError['option']): string {
  // The other nodes must know it.
  const isShared = option === '--internal-listen';
  const another = `choose another with ${option}${isShared ? '' : ', or 0 for a free one'}`;
  const address = `choose another with ${isShared ? option : '--host'}`;
  switch (code) {
    case 'EADDRINUSE':
      return `the port is in use (${code}); ${another}`;
    case 'EACCES':
      return `this user is not allowed to listen on it (${code}); ${another}`;
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine (${code}); ${address}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${host} has no address (${code}); ${address}`;
    case undefined:
      return `the port was in use a moment ago; try again, or ${another}`;
    default:
      return `${code}; ${another}`;
  }
}
