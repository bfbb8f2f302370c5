/** `switchyard health`: whether the server of this environment is ready, for the health check of a container. */
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { originOf, type Config } from '../app/config.ts';

const TIMEOUT_MS = 2_000;

export type HealthOptions = Pick<Config, 'host' | 'port'> & { readonly tlsCert?: string };

/** @returns Whether `/readyz` answers 200, and a line that says what it answers. Never rejects. */
export function readiness({ host, port, tlsCert }: HealthOptions): Promise<{ isReady: boolean; line: string }> {
  const url = `${originOf({ host, tlsCert }, port)}/readyz`;
  return new Promise((resolve) => {
    const fail = (why: string): void => resolve({ isReady: false, line: `${url}: ${why}` });
    const get = tlsCert === undefined ? getHttp : getHttps;
    // The certificate is for the name that clients use, and this is the machine itself.
    const request = get(url, { timeout: TIMEOUT_MS, rejectUnauthorized: false }, (response) => {
      const { statusCode = 0 } = response.resume();
      if (statusCode === 200) resolve({ isReady: true, line: `${url}: ready` });
      else fail(`status ${statusCode}`);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
    request.on('error', ({ message }) => fail(message));
  });
}
