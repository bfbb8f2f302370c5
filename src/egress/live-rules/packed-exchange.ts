/**
 * The form in which an exchange is kept, without credentials: its numbers, its texts in a row, and JSON of the members that few exchanges
 * have. As JSON alone it took an eighth of the processor time of an exchange.
 */
import type { ExchangeBody, ExchangeLine, ExchangeRecord } from '../../model/gateway/exchange.ts';
import { redactLine } from '../recording/redact-head.ts';
import type { Secrets } from '../recording/secrets.ts';
import { redactConsole, redactPart, redactProblems, redactUrl } from './redact-exchange.ts';

/** An exchange that is over as far as its head. */
export interface GivenExchange extends Omit<ExchangeRecord, 'number' | 'requestBody' | 'responseBody' | 'totalMs'> {
  /** A body that a rule has written, where bodies are kept. */
  readonly written?: Buffer | undefined;
}

export interface PackedExchange {
  readonly numbers: readonly number[];
  /** Null for a value that does not exist. */
  readonly texts: readonly (string | null)[];
}

type Step = ExchangeRecord['steps'][number];

/** @param also Members that are known only when it is kept. */
export function packExchange(
  given: GivenExchange,
  also: Pick<ExchangeRecord, 'number' | 'responseBody'>,
  secrets: Secrets,
): PackedExchange {
  const { requestHeaders, responseHeaders, upstream, steps, upstreamMs = NaN } = given;
  // Most of an answer is passed on as it came: the lines behind those that begin the answer of the client, too.
  const same = upstream === undefined ? -1 : countSame(upstream.headers, responseHeaders);
  const others = upstream === undefined ? 0 : upstream.headers.length - same;
  const numbers = [also.number, given.time, given.status, given.ms, upstreamMs, given.delayMs, given.version];
  numbers.push(requestHeaders.length, responseHeaders.length, upstream?.status ?? 0, same, others, steps.length);
  const rare = rareMembers(given, also.responseBody, secrets);
  const url = redactUrl(given.url, secrets);
  const texts: (string | null)[] = [given.user, given.method, url, given.outcome, given.statusText, rare];
  pushLines(texts, requestHeaders, 0, secrets);
  pushLines(texts, responseHeaders, 0, secrets);
  if (upstream !== undefined) pushLines(texts, upstream.headers, same, secrets);
  for (const { ruleId, name, phase, pairId, changed } of steps) {
    numbers.push(changed.length);
    texts.push(ruleId, name, phase, pairId);
    for (const { what, before, after } of changed) {
      texts.push(what, redactPart(what, before, secrets), redactPart(what, after, secrets));
    }
  }
  return { numbers, texts };
}

/** @returns How many of the lines are those that others begin with. */
function countSame(lines: readonly ExchangeLine[], others: readonly ExchangeLine[]): number {
  let count = 0;
  while (count < lines.length && lines[count] === others[count]) count++;
  return count;
}

function pushLines(texts: (string | null)[], lines: readonly ExchangeLine[], from: number, secrets: Secrets): void {
  for (let index = from; index < lines.length; index++) {
    const { name, value } = lines[index] as ExchangeLine;
    texts.push(name, redactLine(name, value, secrets));
  }
}

/** @returns JSON of the members that few exchanges have; empty where there are none. */
function rareMembers(given: GivenExchange, responseBody: ExchangeBody | undefined, secrets: Secrets): string {
  const { location, problem, attached, ended, session, sessionLabel, reason, skipped, sessionMadeAt } = given;
  const console = given.console ?? [];
  const isRare = location !== null || skipped.length > 0 || console.length > 0 || responseBody !== undefined;
  const names = session ?? sessionMadeAt ?? problem ?? reason ?? attached ?? ended;
  if (!isRare && names === undefined) return '';
  return JSON.stringify({
    location: location === null ? undefined : redactUrl(location, secrets),
    problem,
    attached,
    ended,
    session,
    sessionLabel,
    responseBody,
    reason,
    skipped: skipped.length === 0 ? undefined : redactProblems(given, skipped, secrets),
    console: console.length === 0 ? undefined : redactConsole(given, console, secrets),
    sessionMadeAt,
  });
}

/** Bytes of both counts, of a number, and of the length of a text. */
const COUNTS_BYTES = 8;
const NUMBER_BYTES = 8;
const LENGTH_BYTES = 4;
/** Length of a value that does not exist. */
const NULL = 0xffff_ffff;

/** @param text All texts in a row. */
export function packedLength({ numbers, texts }: PackedExchange, text: string): number {
  return COUNTS_BYTES + NUMBER_BYTES * numbers.length + LENGTH_BYTES * texts.length + Buffer.byteLength(text);
}

/** @param text All texts in a row. */
export function writePacked(bytes: Buffer, begin: number, { numbers, texts }: PackedExchange, text: string): void {
  // Its methods are compiled in place, those of a Buffer are not.
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint32(begin, numbers.length, true);
  view.setUint32(begin + LENGTH_BYTES, texts.length, true);
  let at = begin + COUNTS_BYTES;
  for (const number of numbers) {
    view.setFloat64(at, number, true);
    at += NUMBER_BYTES;
  }
  for (const each of texts) {
    view.setUint32(at, each === null ? NULL : each.length, true);
    at += LENGTH_BYTES;
  }
  bytes.write(text, at);
}

/** Reads what was written, one after the other. */
class PackedReader {
  readonly #bytes: Buffer;
  readonly #all: string;
  #numbersAt = COUNTS_BYTES;
  #lengthsAt: number;
  #textAt = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#lengthsAt = COUNTS_BYTES + NUMBER_BYTES * bytes.readUInt32LE(0);
    this.#all = bytes.toString('utf8', this.#lengthsAt + LENGTH_BYTES * bytes.readUInt32LE(4));
  }

  number(): number {
    this.#numbersAt += NUMBER_BYTES;
    return this.#bytes.readDoubleLE(this.#numbersAt - NUMBER_BYTES);
  }

  textOrNull(): string | null {
    const length = this.#bytes.readUInt32LE(this.#lengthsAt);
    this.#lengthsAt += LENGTH_BYTES;
    if (length === NULL) return null;
    this.#textAt += length;
    return this.#all.slice(this.#textAt - length, this.#textAt);
  }

  text(): string {
    return this.textOrNull() ?? '';
  }

  lines(count: number): ExchangeLine[] {
    return Array.from({ length: count }, () => ({ name: this.text(), value: this.text() }));
  }

  steps(count: number): Step[] {
    return Array.from({ length: count }, () => {
      const step = { ruleId: this.text(), name: this.text(), phase: this.text(), pairId: this.text() };
      const changed = Array.from({ length: this.number() }, () => {
        return { what: this.text(), before: this.textOrNull(), after: this.textOrNull() };
      });
      return { ...step, changed } as Step;
    });
  }
}

/** @param bytes As they were written. @returns The exchange without `totalMs` and `recording`, which are kept beside it. */
export function unpackExchange(bytes: Buffer): ExchangeRecord {
  const read = new PackedReader(bytes);
  const [number, time, status, ms] = [read.number(), read.number(), read.number(), read.number()];
  const [upstreamMs, delayMs, version, asked, answered] = Array.from({ length: 5 }, () => read.number()) as FiveNumbers;
  const [upstreamStatus, same, others, stepCount] = [read.number(), read.number(), read.number(), read.number()];
  const [user, method, url, outcome, statusText, rare] = Array.from({ length: 6 }, () => read.text()) as SixTexts;
  const [requestHeaders, responseHeaders] = [read.lines(asked), read.lines(answered)];
  const headers = same === -1 ? [] : [...responseHeaders.slice(0, same), ...read.lines(others)];
  const steps = read.steps(stepCount);
  return {
    number,
    time,
    user,
    method,
    url,
    status,
    outcome: outcome as ExchangeRecord['outcome'],
    ruleIds: [...new Set(steps.map(({ ruleId }) => ruleId))],
    ms,
    statusText,
    location: null,
    delayMs,
    steps,
    skipped: [],
    version,
    requestHeaders,
    responseHeaders,
    ...(same === -1 ? {} : { upstream: { status: upstreamStatus, headers } }),
    ...(Number.isNaN(upstreamMs) ? {} : { upstreamMs }),
    ...(rare === '' ? {} : (JSON.parse(rare) as Partial<ExchangeRecord>)),
  };
}

type FiveNumbers = [number, number, number, number, number];
type SixTexts = [string, string, string, string, string, string];
