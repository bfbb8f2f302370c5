/** Header lines between the wire and rules: which end at the gateway, and how those that rules have written are sent. */
import { baggageOf, namesSession } from '../../model/mocks/sessions/named-session.ts';
import type { HeaderLine, HeaderLines } from '../../rules-table/header-list.ts';
import { headerNamed, namedBy, oneByteEach } from '../forward/lines.ts';
import { portOf, type ExchangePolicy } from './exchange-policy.ts';

/** @param raw Names and values, alternating, one character for each byte. Credentials of the gateway itself are left out. */
export function toClientLines(raw: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string;
    if (!headerNamed(name).isForProxy) lines.push({ name, value: raw[index + 1] as string });
  }
  return lines;
}

/**
 * @param lines What rules have left.
 * @param given What they got: these lines are sent as they came, byte for byte; the others are text, which is sent as UTF-8.
 * @param keepsLength Whether the body that follows is the one that came.
 * @returns Names and values, alternating.
 */
export function sentLines(lines: HeaderLines, given: HeaderLines, via: string, keepsLength: boolean): string[] {
  const named = namedBy(valuesOf(lines, 'connection'));
  const sent: string[] = [];
  let passedBy = '';
  for (const line of lines) {
    const { lower, endsHere } = headerNamed(line.name);
    if (lower === 'via') passedBy += `${sentValue(line, lines, given)}, `;
    else if ((keepsLength && lower === 'content-length') || !(endsHere || named.includes(lower)))
      sent.push(line.name, sentValue(line, lines, given));
  }
  sent.push('via', passedBy + via);
  return sent;
}

/** @returns All values of a name, as one. */
function valuesOf(lines: HeaderLines, lowerName: string): string | undefined {
  let values: string | undefined;
  for (const { name, value } of lines) {
    if (name.length !== lowerName.length || headerNamed(name).lower !== lowerName) continue;
    values = values === undefined ? value : `${values}, ${value}`;
  }
  return values;
}

/** @param given As above: none by default. @returns Names and values, alternating, one character for each byte. */
export function rawLines(lines: HeaderLines, given: HeaderLines = []): string[] {
  const raw: string[] = [];
  for (const line of lines) raw.push(line.name, sentValue(line, lines, given));
  return raw;
}

function sentValue(line: HeaderLine, lines: HeaderLines, given: HeaderLines): string {
  if (lines === given) return line.value;
  const sent = oneByteEach(line.value);
  // Which line it is makes a difference for few values.
  return sent !== line.value && given.includes(line) ? line.value : sent;
}

/** The text of bytes that were read one by one, where they are UTF-8: as rules, filters and dry runs have it. */
export function textOfBytes(bytes: string): string {
  return /[\u0080-\u00ff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}

/** They name the mock and its session. */
const OF_MOCK: ReadonlySet<string> = new Set(['x-mock-id', 'x-mock-session']);

/** @param raw The lines of a request as they are sent. @returns Those of one to the port of mocks. @param mockId Undefined where the URL names the mock. */
function linesForMock(raw: readonly string[], mockId: string | undefined, sessionId: string | undefined): string[] {
  const sent: string[] = [];
  eachLine(raw, (name, value) => {
    const isReplaced = mockId === undefined ? name.toLowerCase() === 'x-mock-session' : OF_MOCK.has(name.toLowerCase());
    if (!isReplaced) sent.push(name, value);
  });
  if (mockId !== undefined) sent.push('x-mock-id', mockId);
  if (sessionId !== undefined) sent.push('x-mock-session', sessionId);
  return sent;
}

/** @returns The same lines, and the session in `baggage` (W3C Baggage), in the place of one that they name. */
function withSession(raw: readonly string[], sessionId: string): string[] {
  const sent: string[] = [];
  const members: string[] = [];
  eachLine(raw, (name, value) => {
    if (name.toLowerCase() === 'baggage') members.push(...value.split(','));
    else sent.push(name, value);
  });
  const others = members.map((member) => member.trim()).filter((member) => member !== '' && !namesSession(member));
  sent.push('baggage', [...others, baggageOf(sessionId)].join(','));
  return sent;
}

function eachLine(raw: readonly string[], take: (name: string, value: string) => void): void {
  for (let index = 0; index < raw.length; index += 2) take(raw[index] as string, raw[index + 1] as string);
}

/**
 * Those of a request as they are sent: to a mock, with what names it and the session; elsewhere with the session where the host
 * gets it.
 *
 * @param raw Names and values, alternating. @param attached The mock that answers for the host.
 */
export function addressedLines(
  raw: readonly string[],
  { sessionId, propagates }: ExchangePolicy,
  target: URL,
  { attached, isForMock }: { readonly attached: string | undefined; readonly isForMock: boolean },
): readonly string[] {
  if (attached !== undefined || (isForMock && sessionId !== undefined)) return linesForMock(raw, attached, sessionId);
  if (sessionId === undefined || !propagates(target.hostname, portOf(target))) return raw;
  return withSession(raw, sessionId);
}
