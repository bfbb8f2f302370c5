/** Replaces credentials in what is kept of an exchange, as recordings do: in lines, URLs, and what rules have changed of them. */
import { atOnce } from '../../base/slices.ts';
import type { ExchangeLine, ExchangeRecord } from '../../model/gateway/exchange.ts';
import { redactPairs } from '../recording/redact-body.ts';
import { PlainTexts, redactLine, redactPath } from '../recording/redact-head.ts';
import { redactText, redactUsers, TOKEN_CHARS_MIN } from '../recording/redact-text.ts';
import type { Secrets } from '../recording/secrets.ts';
import type { GivenExchange } from './exchange-log.ts';

type Changed = ExchangeRecord['steps'][number]['changed'][number];

/** @param also What is known only when it is kept. @returns What may be kept of it. */
export function redactExchange(
  given: GivenExchange,
  also: Pick<ExchangeRecord, 'number' | 'responseBody'>,
  secrets: Secrets,
): ExchangeRecord {
  const { url, location, requestHeaders, responseHeaders, upstream, steps, console = [] } = given;
  const answered = redactHeaders(responseHeaders, secrets);
  // Most answers are passed on as they came.
  const ofUpstream = (lines: readonly ExchangeLine[]): readonly ExchangeLine[] =>
    lines === responseHeaders ? answered : redactHeaders(lines, secrets);
  const record = {
    ...given,
    ...also,
    // It is in `responseBody`.
    written: undefined,
    url: redactUrl(url, secrets),
    location: location === null ? null : redactUrl(location, secrets),
    requestHeaders: redactHeaders(requestHeaders, secrets),
    responseHeaders: answered,
    upstream: upstream && { ...upstream, headers: ofUpstream(upstream.headers) },
    console: console.length === 0 ? undefined : redactConsole(given, console, secrets),
    steps: steps.map((step) => ({ ...step, changed: step.changed.map((change) => redactChange(change, secrets)) })),
  };
  return record;
}

type Console = NonNullable<ExchangeRecord['console']>;

/** What code wrote. It may have written down a credential of a header without its name. */
export function redactConsole(
  { requestHeaders, responseHeaders }: Pick<ExchangeRecord, 'requestHeaders' | 'responseHeaders'>,
  console: Console,
  secrets: Secrets,
): Console {
  const lines = [...requestHeaders, ...responseHeaders];
  const hidden = redactHeaders(lines, secrets).flatMap(({ value }, index) => {
    const parts = lines[index]?.value.split(/[\s;,=]+/) ?? [];
    return parts.filter((part) => part.length >= TOKEN_CHARS_MIN && !value.includes(part));
  });
  return console.map((line) => {
    const text = hidden.reduce((shown, part) => shown.replaceAll(part, 'redacted'), line.text);
    return { ...line, text: atOnce(redactText(text, secrets)) };
  });
}

function redactUrl(url: string, secrets: Secrets): string {
  return plainUrls.unlessPlain(url, secrets, () => {
    const [place = '', query] = redactUsers(url, secrets).split(/\?(.*)/s);
    return `${redactPath(place, secrets)}${query === undefined ? '' : `?${atOnce(redactPairs(query, secrets))}`}`;
  });
}

const plainUrls = new PlainTexts();

/** @returns The same lines where they have no credentials. */
function redactHeaders(lines: readonly ExchangeLine[], secrets: Secrets): readonly ExchangeLine[] {
  let redacted: ExchangeLine[] | undefined;
  for (let index = 0; index < lines.length; index++) {
    const { name, value } = lines[index] as ExchangeLine;
    const replaced = redactLine(name, value, secrets);
    if (replaced !== value) (redacted ??= [...lines])[index] = { name, value: replaced };
  }
  return redacted ?? lines;
}

function redactChange({ what, before, after }: Changed, secrets: Secrets): Changed {
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
