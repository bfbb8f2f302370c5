/** Replaces credentials in what is kept of an exchange, as recordings do: in lines, URLs, and what rules have changed of them. */
import { atOnce } from '../../base/slices.ts';
import type { ExchangeLine, ExchangeRecord } from '../../model/gateway/exchange.ts';
import { redactPairs } from '../recording/redact-body.ts';
import { PlainTexts, redactLine, redactPath } from '../recording/redact-head.ts';
import { redactText, redactUsers, TOKEN_CHARS_MIN } from '../recording/redact-text.ts';
import type { Secrets } from '../recording/secrets.ts';
import { toClientLines } from './message-lines.ts';

type StepChange = ExchangeRecord['steps'][number]['changed'][number];

/** An exchange that is over as far as its head. */
export interface GivenExchange extends Omit<ExchangeRecord, 'number'> {
  /** A body that a rule has written, where bodies are kept. */
  readonly written?: Buffer | undefined;
}

/** An exchange as it is kept: its header lines are names and values, alternating. */
export type PackedExchange = {
  readonly [Name in Exclude<keyof Required<ExchangeRecord>, LinesOf>]: ExchangeRecord[Name];
} & {
  readonly requestHeaders: readonly string[];
  readonly responseHeaders: readonly string[];
  readonly upstream: PackedUpstream | undefined;
};

/** Most of an answer is passed on as it came: the lines behind those that begin the answer of the client, too. */
interface PackedUpstream extends Omit<Upstream, 'headers'> {
  readonly sameLines: number;
  readonly headers: readonly string[];
}

type LinesOf = 'requestHeaders' | 'responseHeaders' | 'upstream';
type Upstream = NonNullable<ExchangeRecord['upstream']>;

/** @param also What is known only when it is kept. @returns What may be kept of it. */
export function redactExchange(
  given: GivenExchange,
  also: Pick<ExchangeRecord, 'number' | 'responseBody'>,
  secrets: Secrets,
): PackedExchange {
  const { location, responseHeaders, upstream, console = [] } = given;
  return {
    number: also.number,
    time: given.time,
    user: given.user,
    method: given.method,
    url: redactUrl(given.url, secrets),
    status: given.status,
    outcome: given.outcome,
    ruleIds: given.ruleIds,
    problem: given.problem,
    attached: given.attached,
    ended: given.ended,
    ms: given.ms,
    session: given.session,
    sessionLabel: given.sessionLabel,
    upstreamMs: given.upstreamMs,
    totalMs: given.totalMs,
    requestHeaders: redactHeaders(given.requestHeaders, secrets),
    statusText: given.statusText,
    responseHeaders: redactHeaders(responseHeaders, secrets),
    upstream: upstream && packUpstream(upstream, responseHeaders, secrets),
    requestBody: given.requestBody,
    responseBody: also.responseBody ?? given.responseBody,
    reason: given.reason,
    location: location === null ? null : redactUrl(location, secrets),
    delayMs: given.delayMs,
    steps: given.steps.map((step) => ({
      ...step,
      changed: step.changed.map((change) => redactChange(change, secrets)),
    })),
    skipped: redactProblems(given, given.skipped, secrets),
    console: console.length === 0 ? undefined : redactConsole(given, console, secrets),
    version: given.version,
    recording: given.recording,
    sessionMadeAt: given.sessionMadeAt,
  };
}

function packUpstream(upstream: Upstream, answered: readonly ExchangeLine[], secrets: Secrets): PackedUpstream {
  const { headers } = upstream;
  let sameLines = 0;
  while (sameLines < headers.length && headers[sameLines] === answered[sameLines]) sameLines++;
  return { ...upstream, sameLines, headers: redactHeaders(headers.slice(sameLines), secrets) };
}

function unpackUpstream({ sameLines, headers, ...rest }: PackedUpstream, answered: readonly string[]): Upstream {
  return { ...rest, headers: toClientLines([...answered.slice(0, 2 * sameLines), ...headers]) };
}

/** Unpacks an exchange, without credentials. */
export function unpackExchange(packed: PackedExchange): ExchangeRecord {
  const { requestHeaders, responseHeaders, upstream, ...rest } = packed;
  return {
    ...rest,
    requestHeaders: toClientLines(requestHeaders),
    responseHeaders: toClientLines(responseHeaders),
    ...(upstream === undefined ? {} : { upstream: unpackUpstream(upstream, responseHeaders) }),
  };
}

type Console = NonNullable<ExchangeRecord['console']>;

/** Redacts the console of code. It may have written down a credential of a header without its name. */
export function redactConsole(
  { requestHeaders, responseHeaders }: Pick<ExchangeRecord, 'requestHeaders' | 'responseHeaders'>,
  console: Console,
  secrets: Secrets,
): Console {
  const redacted = proseRedactor(requestHeaders, responseHeaders, secrets);
  return console.map((line) => ({ ...line, text: redacted(line.text) }));
}

/** How code failed: its errors may have what code may write. */
export function redactProblems(
  { requestHeaders, responseHeaders }: Pick<ExchangeRecord, 'requestHeaders' | 'responseHeaders'>,
  skipped: ExchangeRecord['skipped'],
  secrets: Secrets,
): ExchangeRecord['skipped'] {
  if (skipped.every(({ actual }) => actual === undefined)) return skipped;
  const redacted = proseRedactor(requestHeaders, responseHeaders, secrets);
  return skipped.map((each) => (each.actual === undefined ? each : { ...each, actual: redacted(each.actual) }));
}

function proseRedactor(
  requestHeaders: readonly ExchangeLine[],
  responseHeaders: readonly ExchangeLine[],
  secrets: Secrets,
): (text: string) => string {
  const lines = [...requestHeaders, ...responseHeaders];
  const hidden = lines.flatMap(({ name, value }) => {
    const kept = redactLine(name, value, secrets);
    return value.split(/[\s;,=]+/).filter((part) => part.length >= TOKEN_CHARS_MIN && !kept.includes(part));
  });
  return (text) => {
    const shown = hidden.reduce((left, part) => left.replaceAll(part, 'redacted'), text);
    return atOnce(redactText(shown, secrets, 'prose'));
  };
}

function redactUrl(url: string, secrets: Secrets): string {
  return plainUrls.unlessPlain(url, secrets, () => {
    const [place = '', query] = atOnce(redactUsers(url, secrets)).split(/\?(.*)/s);
    return `${redactPath(place, secrets)}${query === undefined ? '' : `?${atOnce(redactPairs(query, secrets))}`}`;
  });
}

const plainUrls = new PlainTexts();

/** @returns Names and values, alternating. */
function redactHeaders(lines: readonly ExchangeLine[], secrets: Secrets): string[] {
  const kept: string[] = [];
  for (const { name, value } of lines) kept.push(name, redactLine(name, value, secrets));
  return kept;
}

function redactChange({ what, before, after }: StepChange, secrets: Secrets): StepChange {
  const redacted = (text: string | null): string | null => (text === null ? null : redactPart(what, text, secrets));
  return { what, before: redacted(before), after: redacted(after) };
}

function redactPart(what: string, text: string, secrets: Secrets): string {
  if (what === 'url') return redactUrl(text, secrets);
  if (what !== 'header') return atOnce(redactText(text, secrets));
  // A header is shown as its line.
  const [name = '', value = ''] = text.split(/: (.*)/s);
  return `${name}: ${redactLine(name, value, secrets)}`;
}
