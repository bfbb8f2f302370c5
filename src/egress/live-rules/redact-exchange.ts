/** Replaces credentials in what is kept of an exchange, as recordings do: in lines, URLs, and what rules have changed of them. */
import { atOnce } from '../../base/slices.ts';
import type { ExchangeLine, ExchangeRecord } from '../../model/gateway/exchange.ts';
import { redactPairs } from '../recording/redact-body.ts';
import { PlainTexts, redactLine, redactPath } from '../recording/redact-head.ts';
import { redactText, redactUsers, TOKEN_CHARS_MIN } from '../recording/redact-text.ts';
import type { Secrets } from '../recording/secrets.ts';

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

export function redactUrl(url: string, secrets: Secrets): string {
  return plainUrls.unlessPlain(url, secrets, () => {
    const [place = '', query] = atOnce(redactUsers(url, secrets)).split(/\?(.*)/s);
    return `${redactPath(place, secrets)}${query === undefined ? '' : `?${atOnce(redactPairs(query, secrets))}`}`;
  });
}

const plainUrls = new PlainTexts();

/** @param what Part of the exchange that a rule has changed, of which this is the text. */
export function redactPart(what: string, text: string | null, secrets: Secrets): string | null {
  if (text === null) return null;
  if (what === 'url') return redactUrl(text, secrets);
  if (what !== 'header') return atOnce(redactText(text, secrets));
  return plainLines.unlessPlain(text, secrets, () => {
    // A header is shown as its line.
    const [name = '', value = ''] = text.split(/: (.*)/s);
    return `${name}: ${redactLine(name, value, secrets)}`;
  });
}

const plainLines = new PlainTexts();
