/** What of WireMock's interface is supported: the list at its root, and what is refused by name. */
import { fail, type Failure } from './errors.ts';
import type { Answer, Operation } from './question.ts';

/** First segments of paths that WireMock has, and what to do instead. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['recorder', 'call /recordings/start and /recordings/stop'],
  ['certs', 'start the server with --tls-cert and --tls-key'],
  ['shutdown', 'stop the server by SIGTERM'],
  ['message-mappings', 'add a WebSocket route to the mock'],
  ['messages', 'messages are in the traffic of the mock'],
  ['channels', 'open WebSockets are listed by the API of the mock'],
]);

/** @returns undefined for a path that WireMock does not have either. */
export function unsupported(path: string): Failure | undefined {
  const name = path.split('/')[1] ?? '';
  const instead = UNSUPPORTED.get(name);
  return instead === undefined ? undefined : fail(422, `${name} is not supported`, `${instead}. See docs/compat.md`);
}

/** @param others All other endpoints. */
export function withList(others: readonly Operation[]): readonly Operation[] {
  const endpoints = others.map(({ method, path }) => `${method} ${path}`);
  const answer = (): Answer => ({ json: { server: 'Switchyard', endpoints, unsupported: [...UNSUPPORTED.keys()] } });
  return [...others, ...['/', '/docs'].map((path) => ({ method: 'GET', path, access: 'read', answer }) as const)];
}
