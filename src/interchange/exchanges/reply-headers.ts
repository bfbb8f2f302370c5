/** The headers of a recorded reply that a mock can send. */
import { essenceOf } from '../../base/content-type.ts';
import type { HeaderLine } from '../../model/mocks/definition/definition.ts';
import type { Item, ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';
import { credentialsIn, isRedacted } from '../../base/credentials.ts';
import { headerLines } from './header-lines.ts';
import { jsonOf } from './request-values.ts';

/** The formats whose codes are used. */
type RecordedFormat = 'har' | 'postman';

export interface RecordedHeader extends HeaderLine {
  readonly source: Member;
}

/** Where an item is read, and how it is reported. */
export interface Recording {
  readonly format: RecordedFormat;
  readonly item: Item;
  readonly report: ReportWriter;
}

/**
 * @param isEncoded Whether the body is as it was sent: else it is decoded already.
 * @returns The lines that are kept, in their order.
 */
export function keptHeaders(
  headers: readonly RecordedHeader[],
  isEncoded: boolean,
  { format, item, report }: Recording,
): HeaderLine[] {
  const kept: HeaderLine[] = [];
  for (const { name, value, source } of headers) {
    const isDecoded = name.toLowerCase() === 'content-encoding' && !isEncoded;
    if (name.startsWith(':') || isDecoded || isOwn(name, value)) {
      report.count(`${format}.framing-headers`);
      continue;
    }
    // Browsers join lines of one name with line feeds.
    const texts = value.split(/\r?\n/);
    const isCookie = name.toLowerCase() === 'set-cookie';
    const own = isCookie ? texts.map(withoutDomain) : texts;
    const secrets = texts.filter((text) => isCookie && !isRedacted(text));
    if (secrets.length > 0) report.count(`${format}.response-credentials`, secrets.length);
    for (const [index, text] of own.entries()) if (text !== texts[index]) item.note(`${format}.cookie-domain`, source);
    kept.push(...headerLines(name, own, { format, item, report }, source));
  }
  return kept;
}

/** Whether this server adds the header to the answers of an upstream. */
function isOwn(name: string, value: string): boolean {
  return /^x-switchyard-/i.test(name) || (name.toLowerCase() === 'via' && /\bswitchyard-/.test(value));
}

/** The domain is that of the recorded host, which a mock is not. */
export function withoutDomain(cookie: string): string {
  return cookie
    .split(';')
    .filter((attribute, index) => index === 0 || !/^\s*domain\s*=/i.test(attribute))
    .join(';');
}

export function headerOf(headers: readonly HeaderLine[], name: string): string | undefined {
  return headers.find((each) => each.name.toLowerCase() === name)?.value;
}

const CHARSET = /(;\s*charset\s*=\s*)"?([^;"\s]+)"?/i;
/** Declaration of its own encoding in a document, for clients that send no header. */
const OWN_CHARSET = /<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?([\w-]+)/i;
const OWN_CHARSET_CHARS = 1_024;

/** A body that is text is sent as UTF-8: a Content-Type that says otherwise is changed. */
export function inUtf8(headers: readonly HeaderLine[], body: string, { format, item }: Recording): HeaderLine[] {
  return headers.map(({ name, value }) => {
    if (name.toLowerCase() !== 'content-type') return { name, value };
    const own = /html|xml/.test(essenceOf(value)) ? OWN_CHARSET.exec(body.slice(0, OWN_CHARSET_CHARS))?.[1] : undefined;
    const said = CHARSET.exec(value)?.[2];
    const charset = (said ?? own ?? 'utf-8').toLowerCase();
    const isSame = /^utf-?8$/.test(charset) || (isAscii(body) && !/^(?:utf-?(?:16|32)|ucs)/.test(charset));
    if (isSame) return { name, value };
    item.note(`${format}.charset`, undefined, charset);
    return { name, value: said === undefined ? `${value}; charset=utf-8` : value.replace(CHARSET, '$1utf-8') };
  });
}

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** A reply with a token is the mock, and kept; a person should know of it. */
export function countCredentials(body: string, { format, report }: Recording): void {
  if (!/^\s*[[{]/.test(body)) return;
  const count = credentialsIn(jsonOf(body)?.value);
  if (count > 0) report.count(`${format}.response-credentials`, count);
}
