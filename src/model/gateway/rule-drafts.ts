/**
 * Rules that an exchange of the gateway may become: bodies for `POST /v1/rules`, for a person to change before they are stored. Each is
 * for requests like that of the exchange.
 */
import type { Static } from 'typebox';
import type { ExchangeLine, exchangeBodySchema } from './exchange.ts';

/** The parts of an exchange that drafts use. */
export interface DraftedExchange {
  readonly method: string;
  readonly url: string;
  /** That the client got. */
  readonly status: number;
  readonly responseHeaders: readonly ExchangeLine[];
  /** Absent where bodies are not kept. */
  readonly responseBody?: Static<typeof exchangeBodySchema> | undefined;
}

/** A body for `POST /v1/rules`. */
interface DraftedRule {
  readonly name: string;
  readonly ruleType: 'Redirect' | 'Response' | 'Headers' | 'Delay' | 'Cancel';
  readonly pairs: readonly [Readonly<Record<string, unknown>>];
}

/** A source and its address take no more: the smallest limit of a text that a server may have is not known here. */
const SOURCE_CHARS_MAX = 2_000;
const NAME_CHARS_MAX = 200;
/** The answer's body, within the largest body that the API takes for a rule by default. */
const BODY_BYTES_MAX = 900_000;
const DELAY_MS = 1_000;

/** Placeholder that the gateway keeps instead of a credential (egress/recording/secrets.ts). */
const REDACTED = /redacted-[\da-f]{8}/g;

/**
 * A rule of each type that an exchange suggests, in the order in which a list may show them.
 *
 * `Redirect` leads to the same place, and `Headers` to the same answer, until they are changed. `Response` has the answer's status, and its
 * body where that was kept as text.
 */
export function draftRules(exchange: DraftedExchange): readonly DraftedRule[] {
  const { status } = exchange;
  const source = sourceOf(exchange);
  const draft = (ruleType: DraftedRule['ruleType'], verb: string, members: object): DraftedRule => ({
    name: `${verb} ${shownRequest(exchange)}`.slice(0, NAME_CHARS_MAX),
    ruleType,
    pairs: [{ source, ...members }],
  });
  return [
    draft('Response', 'Answer', { type: 'static', value: textOf(exchange.responseBody), statusCode: `${status}` }),
    draft('Redirect', 'Redirect', { destinationType: 'url', destination: destinationOf(exchange.url) }),
    draft('Headers', 'Headers of', { modifications: { Request: [], Response: [headerOf(exchange)] } }),
    draft('Delay', 'Delay', { delay: DELAY_MS }),
    draft('Cancel', 'Block', {}),
  ];
}

/** The URL as it was, where a credential in it may be any; without its query where it is long. */
function sourceOf({ method, url }: DraftedExchange): object {
  const filters = [{ requestMethod: [method] }];
  if (url.length > SOURCE_CHARS_MAX) {
    const [place = ''] = url.split('?');
    return { key: 'Url', operator: 'Contains', value: place.split(REDACTED)[0]?.slice(0, SOURCE_CHARS_MAX), filters };
  }
  const value = url.replaceAll(REDACTED, '*');
  return { key: 'Url', operator: value === url ? 'Equals' : 'Wildcard_Matches', value, filters };
}

/** A credential that was replaced is not sent anywhere. */
function destinationOf(url: string): string {
  const [place = '', query] = url.split(/\?(.*)/s);
  const shown = query === undefined || query.search(REDACTED) !== -1 || url.length > SOURCE_CHARS_MAX ? place : url;
  return shown.slice(0, SOURCE_CHARS_MAX);
}

function headerOf({ responseHeaders }: DraftedExchange): object {
  const value = responseHeaders.find(({ name }) => name.toLowerCase() === 'content-type')?.value;
  return value === undefined || value.length > SOURCE_CHARS_MAX
    ? { type: 'Add', header: 'cache-control', value: 'no-store' }
    : { type: 'Modify', header: 'content-type', value };
}

/** Empty where there is none, or none that a rule can have. */
function textOf(body: DraftedExchange['responseBody']): string {
  if (body === undefined || body.bodyEncoding !== undefined || body.bodyOmitted !== undefined) return '';
  return new TextEncoder().encode(JSON.stringify(body.body)).length > BODY_BYTES_MAX ? '' : body.body;
}

function shownRequest({ method, url }: DraftedExchange): string {
  const [place = ''] = url.split('?');
  return `${method} ${place.replace(/^https?:\/\//, '')}`;
}
