/**
 * Cross-origin requests: decides which pages may read an answer, and writes the header lines that say so. One function decides for
 * responses, preflights, misses, refusals, faults, proxied answers and streams.
 *
 * A head is prepared as for a request without an origin. What a page gets is made of it where it is written, so that a session
 * may decide otherwise without compiling anything, and a request without an origin pays one comparison.
 */
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import {
  ANY_ORIGIN,
  NULL_ORIGIN,
  type CorsPolicy,
  type CorsSetting,
} from '../../../model/mocks/definition/cors-schema.ts';
import { KEEP_ALIVE_LINE, type ReplyHead } from './answer-head.ts';

const ALLOW_ORIGIN = 'access-control-allow-origin';
const EXPOSE_HEADERS = 'access-control-expose-headers';
const ALLOW_CREDENTIALS = 'access-control-allow-credentials';

/** Sent to requests without an origin where `cors` is true: what is cached is then good for any page. */
const CORS_HEADERS: readonly HeaderLine[] = [
  { name: ALLOW_ORIGIN, value: '*' },
  { name: EXPOSE_HEADERS, value: '*' },
];
export const CORS_LINES = CORS_HEADERS.map(({ name, value }) => `\r\n${name}: ${value}`).join('');

/** A browser keeps such an answer, and would use it for a page of another origin. */
const CACHED_BY = new Set(['cache-control', 'expires', 'etag', 'last-modified']);

interface CorsDecision {
  readonly isAllowed: boolean;
  readonly hasCredentials: boolean;
  readonly reason: string;
}

const LOCAL_ORIGIN = /^https?:\/\/(?:(?:[a-z\d-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
/** May be repeated in an answer, and is remembered with its head. */
const ORIGIN = /^[\x21-\x7e]{1,500}$/;

export function decideCors(setting: CorsSetting, origin: string): CorsDecision {
  if (setting === false) return { isAllowed: false, hasCredentials: false, reason: '`cors` is false' };
  if (setting === true) {
    return ORIGIN.test(origin) && LOCAL_ORIGIN.test(origin)
      ? { isAllowed: true, hasCredentials: true, reason: 'a local origin' }
      : {
          isAllowed: true,
          hasCredentials: false,
          reason: 'any origin may read answers; only local ones may send cookies',
        };
  }
  const { origins = [ANY_ORIGIN], credentials = true } = setting;
  const listed = origins.find((each) => each !== ANY_ORIGIN && isOrigin(each, origin));
  const isAny = origins.includes(ANY_ORIGIN);
  if (listed === undefined && !isAny)
    return { isAllowed: false, hasCredentials: false, reason: `not one of \`cors.origins\`: ${origins.join(', ')}` };
  // With "*" alone, a sandboxed frame of any page would get cookies.
  const mayHave = ORIGIN.test(origin) && (listed !== undefined || origin !== NULL_ORIGIN);
  const hasCredentials = credentials && mayHave;
  const why = listed === undefined ? '`cors.origins` has *' : `\`cors.origins\` has ${listed}`;
  return {
    isAllowed: true,
    hasCredentials,
    reason: hasCredentials || !credentials ? why : `${why}, which gives null no cookies`,
  };
}

/** @param listed May have `*.` in place of the first labels of its host. */
function isOrigin(listed: string, origin: string): boolean {
  if (!listed.includes('*')) return listed === origin;
  const [before = '', after = ''] = listed.split('*');
  if (!origin.startsWith(before) || !origin.endsWith(after)) return false;
  return /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(origin.slice(before.length, origin.length - after.length));
}

/** @returns The lines of an answer to a request without an origin. A line of the response's own has a name that is none of `CORS_HEADERS`. */
export function withCors(own: readonly HeaderLine[], setting: CorsSetting): readonly HeaderLine[] {
  const lines = own.map((line) =>
    line.name === ALLOW_ORIGIN || line.name === EXPOSE_HEADERS ? { ...line, name: titled(line.name) } : line,
  );
  if (setting === false || has(lines, ALLOW_ORIGIN)) return lines;
  const added = setting === true ? CORS_HEADERS.filter(({ name }) => !has(lines, name)) : [];
  return [...(lines.some(({ name }) => CACHED_BY.has(name.toLowerCase())) ? withVary(lines) : lines), ...added];
}

/**
 * @param lines As `withCors` returns them, of any setting.
 * @param origin Undefined for a request without one, in a session that has a setting of its own.
 */
export function linesFor(
  setting: CorsSetting,
  origin: string | undefined,
  lines: readonly HeaderLine[],
): readonly HeaderLine[] {
  const own = lines.filter(({ name }) => name !== ALLOW_ORIGIN && name !== EXPOSE_HEADERS);
  if (setting === false || has(own, ALLOW_ORIGIN)) return own;
  if (origin === undefined) return withCors(own, setting);
  const { isAllowed, hasCredentials } = decideCors(setting, origin);
  const varied = withVary(own);
  if (!isAllowed) return varied;
  const exposed = hasCredentials ? namesOf(own, setting) : '*';
  const added: HeaderLine[] = [{ name: ALLOW_ORIGIN, value: hasCredentials ? origin : '*' }];
  if (hasCredentials && !has(own, ALLOW_CREDENTIALS)) added.push({ name: ALLOW_CREDENTIALS, value: 'true' });
  if (exposed !== '' && !has(own, EXPOSE_HEADERS)) added.push({ name: EXPOSE_HEADERS, value: exposed });
  return [...varied, ...added];
}

/** With credentials "*" is the name of a header. */
function namesOf(own: readonly HeaderLine[], setting: CorsSetting): string {
  const names = own.map(({ name }) => name.toLowerCase()).filter((name) => !UNEXPOSED.test(name));
  return [...new Set([...names, ...(policyOf(setting).expose ?? [])])].join(', ');
}

const UNEXPOSED = /^(?:access-control-.*|set-cookie2?|vary|keep-alive|connection|transfer-encoding)$/;

function policyOf(setting: CorsSetting): CorsPolicy {
  return typeof setting === 'object' ? setting : {};
}

/** Heads that are sent again and again, as the last origin got them. */
const known = new WeakMap<
  ArrayBuffer,
  { readonly setting: CorsSetting; readonly origin: string | undefined; readonly head: ArrayBuffer }
>();

/** @param origin As of `linesFor`. */
export function headFor<Head extends ReplyHead>(setting: CorsSetting, origin: string | undefined, head: Head): Head;
export function headFor(setting: CorsSetting, origin: string | undefined, head: ReplyHead): ReplyHead {
  if (typeof head === 'string') return headOf(setting, origin, head);
  const last = known.get(head);
  if (last?.origin === origin && last?.setting === setting) return last.head;
  const made = Uint8Array.from(
    Buffer.from(headOf(setting, origin, Buffer.from(head).toString('latin1')), 'latin1'),
  ).buffer;
  if (origin === undefined || ORIGIN.test(origin)) known.set(head, { setting, origin, head: made });
  return made;
}

function headOf(setting: CorsSetting, origin: string | undefined, head: string): string {
  const [status = '', ...texts] = head.split('\r\n');
  const lines = texts.map((text) => {
    const at = text.indexOf(':');
    return { name: text.slice(0, at), value: text.slice(at + 2) };
  });
  return linesFor(setting, origin, lines).reduce((all, { name, value }) => `${all}\r\n${name}: ${value}`, status);
}

interface Preflight {
  readonly origin: string | undefined;
  /** Method of the request that is to follow. */
  readonly corsMethod: string | undefined;
  readonly corsHeaders: string | undefined;
  /** Names in lower case and values, alternating. */
  readonly headers: readonly string[];
}

/** Methods and header names, as a preflight lists them. */
const TOKENS = /^[\w!#$%&'*+.^`|~, -]{1,4096}$/;
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/**
 * The head of the answer to a preflight allows what the page asks for, where its origin is. "*" would not include `Authorization`,
 * so headers are named.
 */
export function preflightHead(
  setting: CorsSetting,
  { origin = '', corsMethod = '', corsHeaders = '', headers }: Preflight,
): string {
  const { isAllowed, hasCredentials } = decideCors(setting, origin);
  const head = `204 No Content\r\nvary: origin`;
  if (!isAllowed) return head + KEEP_ALIVE_LINE;
  const isListed = METHODS.split(', ').includes(corsMethod) || !TOKENS.test(corsMethod);
  const { maxAgeSeconds } = policyOf(setting);
  const asksForPrivate = headers.some(
    (each, index) =>
      index % 2 === 0 && each === 'access-control-request-private-network' && headers[index + 1] === 'true',
  );
  const lines = [
    `${ALLOW_ORIGIN}: ${hasCredentials ? origin : '*'}`,
    ...(hasCredentials ? [`${ALLOW_CREDENTIALS}: true`] : []),
    `access-control-allow-methods: ${isListed ? METHODS : `${METHODS}, ${corsMethod}`}`,
    ...(TOKENS.test(corsHeaders) ? [`access-control-allow-headers: ${corsHeaders}`] : []),
    ...(maxAgeSeconds === undefined ? [] : [`access-control-max-age: ${maxAgeSeconds}`]),
    ...(asksForPrivate ? ['access-control-allow-private-network: true'] : []),
  ];
  return `${head}\r\n${lines.join('\r\n')}${KEEP_ALIVE_LINE}`;
}

function has(lines: readonly HeaderLine[], wanted: string): boolean {
  return lines.some(({ name }) => name.toLowerCase() === wanted);
}

function titled(name: string): string {
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** A line of its own is extended. */
function withVary(lines: readonly HeaderLine[]): readonly HeaderLine[] {
  const at = lines.findIndex(({ name }) => name.toLowerCase() === 'vary');
  const line = lines[at];
  if (line === undefined) return [...lines, { name: 'vary', value: 'origin' }];
  if (
    lines.some(({ name, value }) => name.toLowerCase() === 'vary' && /(?:^|,)\s*(?:origin|\*)\s*(?:,|$)/i.test(value))
  )
    return lines;
  return lines.with(at, { ...line, value: line.value === '' ? 'origin' : `${line.value}, origin` });
}
