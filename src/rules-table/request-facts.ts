/**
 * Facts about a request that filters and rules need beyond its URL: each is read from headers or body once, on first
 * use.
 */
import { decodeUtf8 } from '../languages/decode-utf8.ts';
import { declaresForm, parseForm } from '../languages/form.ts';
import { parseJson } from '../languages/json-text.ts';
import { take, type WorkBudget } from '../languages/work-budget.ts';
import { headerValue, type HeaderLine } from './header-list.ts';
import type { UnreadReason } from './outcome.ts';
import { parseUrl, type WireUrl } from './wire-url.ts';

export interface GivenRequest {
  readonly method: string;
  readonly headers: readonly HeaderLine[];
  /** Undefined when there is none. Without its content encoding, if the caller could decode it. */
  readonly body: Buffer | undefined;
  /** Why code cannot read it. */
  readonly unread?: UnreadReason | undefined;
}

/** Resource types of filters by `sec-fetch-dest`; other destinations are `other`. */
const RESOURCE_TYPES: Readonly<Record<string, string>> = {
  document: 'main_frame',
  iframe: 'sub_frame',
  frame: 'sub_frame',
  fencedframe: 'sub_frame',
  style: 'stylesheet',
  script: 'script',
  worker: 'script',
  sharedworker: 'script',
  serviceworker: 'script',
  audioworklet: 'script',
  paintworklet: 'script',
  image: 'image',
  font: 'font',
  object: 'object',
  embed: 'object',
  audio: 'media',
  video: 'media',
  track: 'media',
  empty: 'xmlhttprequest',
  websocket: 'websocket',
  report: 'csp_report',
};

export const RESOURCE_TYPE_NAMES: ReadonlySet<string> = new Set([...Object.values(RESOURCE_TYPES), 'other']);

/** Work of reading a character of a query, in units of RULE_WORK_MAX. */
const QUERY_WORK = 20;

/** For GET and HEAD the fields of the query; for other methods the body: JSON, the fields of a form, or a text. */
type Payload =
  | { readonly fields: ReadonlyMap<string, readonly string[]>; readonly text?: string }
  | { readonly value: unknown }
  /** A body whose content encoding was not decoded. */
  | 'encoded'
  | undefined;

export class RequestFacts {
  readonly #request: GivenRequest;
  readonly #url: WireUrl;
  readonly #budget: WorkBudget;
  /** Null until it is asked for; so are those below. */
  #referer: WireUrl | undefined | null = null;
  #page: WireUrl | undefined | null = null;
  #resourceType: string | undefined | null = null;
  #payload: Payload | null = null;

  constructor(request: GivenRequest, url: WireUrl, budget: WorkBudget) {
    this.#request = request;
    this.#url = url;
    this.#budget = budget;
  }

  /** URL as received, without its fragment. */
  get url(): string {
    return this.#url.text;
  }

  get method(): string {
    return this.#request.method.toUpperCase();
  }

  header(name: string): string | undefined {
    return headerValue(this.#request.headers, name);
  }

  /** The method of the request that a CORS preflight announces; undefined for other requests. */
  get announcedMethod(): string | undefined {
    const isPreflight = this.method === 'OPTIONS' && this.header('origin') !== undefined;
    return isPreflight ? this.header('access-control-request-method')?.trim().toUpperCase() : undefined;
  }

  /** Undefined when the client does not send it, as clients other than browsers usually do not. */
  get resourceType(): string | undefined {
    if (this.#resourceType === null) this.#resourceType = this.#readResourceType();
    return this.#resourceType;
  }

  #readResourceType(): string | undefined {
    const destination = this.header('sec-fetch-dest')?.trim().toLowerCase();
    if (destination === undefined) return undefined;
    return Object.hasOwn(RESOURCE_TYPES, destination) ? RESOURCE_TYPES[destination] : 'other';
  }

  /** The page that made the request, by its origin at least; undefined when the request does not name it. */
  get page(): WireUrl | undefined {
    if (this.#page === null) this.#page = parseUrl(this.header('origin') ?? '') ?? this.referer;
    return this.#page;
  }

  get referer(): WireUrl | undefined {
    if (this.#referer === null) this.#referer = parseUrl(this.header('referer') ?? '');
    return this.#referer;
  }

  get payload(): Payload {
    if (this.#payload === null) this.#payload = this.#readPayload();
    return this.#payload;
  }

  #readPayload(): Payload {
    if (this.method === 'GET' || this.method === 'HEAD') {
      const query = this.#url.query ?? '';
      return take(this.#budget, query.length * QUERY_WORK) ? { fields: fieldsOf(query) } : undefined;
    }
    const { body } = this.#request;
    if (body === undefined) return undefined;
    const type = this.header('content-type') ?? '';
    const text = decodeUtf8(body, this.#budget);
    if (declaresForm(type)) return { fields: parseForm(type, body, this.#budget), text };
    const read = parseJson(text, this.#budget);
    if (read !== undefined || this.#budget.work < 0) return read;
    const encoding = this.header('content-encoding')?.trim().toLowerCase() ?? 'identity';
    const isReadable = encoding === 'identity' || encoding === '';
    return isReadable ? { fields: NO_FIELDS, text } : 'encoded';
  }
}

const NO_FIELDS: ReadonlyMap<string, readonly string[]> = new Map();

function fieldsOf(query: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}
