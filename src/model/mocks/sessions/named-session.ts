/** The session that a request names in `baggage` or a cookie: for the mocks, and for a server under test that passes it on. */
import { decodeOnce } from '../../../base/percent.ts';
import { SESSION_ID } from './session.ts';

/** The member of a `baggage` header, and the cookie, that name a session. */
const SESSION_NAME = 'mock-session';

/**
 * @param baggage Values of all `baggage` headers, joined by commas (W3C Baggage: members `name=value;property`, percent-encoded).
 * @returns The session that the first member of that name names.
 */
export function sessionOfBaggage(baggage: string): string | undefined {
  if (!baggage.includes(SESSION_NAME)) return undefined;
  for (const member of baggage.split(',')) {
    if (!namesSession(member)) continue;
    const [value = ''] = member.slice(member.indexOf('=') + 1).split(';');
    return decodeOnce(value.trim());
  }
  return undefined;
}

/** @param member One of `baggage`. */
export function namesSession(member: string): boolean {
  const equals = member.indexOf('=');
  return equals !== -1 && member.slice(0, equals).trim() === SESSION_NAME;
}

/** The member of `baggage` that names this session. */
export function baggageOf(sessionId: string): string {
  return `${SESSION_NAME}=${sessionId}`;
}

/**
 * @param cookies Values of all `cookie` headers, joined by semicolons.
 * @returns The session that the first cookie of that name names which can be an id: other software may use the name.
 */
export function sessionOfCookies(cookies: string): string | undefined {
  if (!cookies.includes(SESSION_NAME)) return undefined;
  for (const pair of cookies.split(';')) {
    const equals = pair.indexOf('=');
    if (equals === -1 || pair.slice(0, equals).trim() !== SESSION_NAME) continue;
    const id = pair.slice(equals + 1).trim();
    if (SESSION_ID.test(id)) return id;
  }
  return undefined;
}
