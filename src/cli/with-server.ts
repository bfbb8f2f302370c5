/** Calls the server that a command's options name. A failure becomes one line that says what to do. */
import { readFileSync } from 'node:fs';
import { OperatorError } from '../base/operator-error.ts';
import { createClient, SwitchyardError, type Client } from '../client/index.ts';
import { parseApiKey } from '../model/api-key.ts';
import { KEY_VARIABLE, keyOfEnvironment } from './environment.ts';
import type { ServerOptions } from './server-options.ts';

const HOW_TO_GIVE_KEY = `set ${KEY_VARIABLE}, or name a file that holds it with --key-file`;

/**
 * Calls a server.
 *
 * @param use Its rejections with a SwitchyardError become an OperatorError that says what to do.
 * @throws OperatorError, also when no key is given.
 */
export async function withServer<Result>(
  { server, keyFile }: ServerOptions,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = createClient({ apiUrl: `${server}/v1`, key: readKey(keyFile) });
  try {
    return await use(client);
  } catch (error) {
    if (!(error instanceof SwitchyardError)) throw error;
    throw new OperatorError(adviceOn(error, server));
  }
}

/** @throws OperatorError when it cannot be read; the message names the file. */
export function readInput(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new OperatorError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

/** @throws OperatorError without a key. */
export function readKey(keyFile: string | undefined): string {
  const text = keyFile === undefined ? keyOfEnvironment() : readInput(keyFile).toString();
  const key = text?.trim() ?? '';
  if (key === '') throw new OperatorError(`${keyFile ?? 'this command'} has no API key: ${HOW_TO_GIVE_KEY}`);
  // A text that is not a key is not shown: it may be another secret.
  if (parseApiKey(key) === undefined) {
    throw new OperatorError(
      `what ${keyFile ?? KEY_VARIABLE} holds is not an API key, which begins with sy_: ${HOW_TO_GIVE_KEY}`,
    );
  }
  return key;
}

function adviceOn(error: SwitchyardError, server: string): string {
  const { status, message } = error;
  if (status === 0) return `${message}; is the server running? Name another address with --server`;
  const isKeyRefused = error.details.some(({ path }) => path === 'x-api-key');
  if (status === 401 && isKeyRefused) return `${server} refused the key: ${message}; ${HOW_TO_GIVE_KEY}`;
  return `${server} answered ${status}: ${message}`;
}
