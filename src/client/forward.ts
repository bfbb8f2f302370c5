/**
 * `switchyard-server/forward`: requests that a server sends while it answers one name the same session.
 *
 * For a server under test that passes neither `baggage` nor cookies on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { sessionOfBaggage, sessionOfCookies } from '../model/mocks/sessions/named-session.ts';
import { SESSION_ID } from '../model/mocks/sessions/session.ts';
import type { Fetch } from './fetch-types.ts';

/** A `Headers`. */
interface HeaderList {
  get(name: string): string | null;
}

/** Headers in the form of Node.js: names in lower case. */
type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

const current = new AsyncLocalStorage<string | undefined>();

/** Answers a request: what `answer` starts belongs to the session that the request names. */
export function inSession<Result>(headers: HeaderList | HeaderRecord, answer: () => Result): Result {
  const headerValue = (name: string): string => String((isList(headers) ? headers.get(name) : headers[name]) ?? '');
  const named =
    headerValue('x-mock-session') ||
    sessionOfBaggage(headerValue('baggage')) ||
    sessionOfCookies(headerValue('cookie')) ||
    '';
  return current.run(SESSION_ID.test(named) ? named : undefined, answer);
}

function isList(headers: HeaderList | HeaderRecord): headers is HeaderList {
  return typeof headers.get === 'function';
}

/** A fetch that adds the session to requests to the origins of these addresses, and to no others. */
export function forwardingFetch(to: readonly string[], send: Fetch = fetch): Fetch {
  const origins = new Set(to.map((each) => new URL(each).origin));
  // Whatever cannot be asked is rejected, as by any fetch, and not thrown.
  return async (input, init) => {
    const session = current.getStore();
    const url = new URL(typeof input === 'object' && 'url' in input ? input.url : input);
    if (session === undefined || !origins.has(url.origin)) return send(input, init);
    const headers = new Headers(
      init?.headers ?? (typeof input === 'object' && 'headers' in input ? input.headers : {}),
    );
    headers.append('baggage', `mock-session=${session}`);
    return send(input, { ...init, headers });
  };
}
