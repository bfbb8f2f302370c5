/** What filters and rules ask of a request beyond its URL: read from its headers and body when first asked, and once. */
import { take, type WorkBudget } from '../languages/work-budget.ts';
import { headerValue, type HeaderLine } from './header-list.ts';
import { parseUrl, type WireUrl } from './wire-url.ts';

export interface GivenRequest {
  readonly method: string;
  readonly headers: readonly HeaderLine[];
  /** Undefined when there is none. With its content encoding undone, where it has one. */
  readonly body: Buffer | undefined;
}

/** What filters call a destination, where it is not called the same. */
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

/** What a character of a payload takes to be parsed, in units of RULE_WORK_MAX. */
const PARSE_WORK = 1;

/** Of a GET or HEAD the fields of its query; of others its body, which must be JSON. */
export type Payload =
  | { readonly fields: ReadonlyMap<string, readonly string[]> }
  | { readonly value: unknown }
  /** Bytes in an encoding that was not undone. */
  | 'encoded'
  | undefined;

export class RequestFacts {
  readonly #request: GivenRequest;
  readonly #url: WireUrl;
  readonly #budget: WorkBudget;
  /** Null until it is asked for; so are those below. */
  #referer: WireUrl | undefined | null = null;
  #pageHost: string | undefined | null = null;
  #resourceType: string | undefined | null = null;
  #payload: Payload | null = null;

  constructor(request: GivenRequest, url: WireUrl, budget: WorkBudget) {
    this.#request = request;
    this.#url = url;
    this.#budget = budget;
  }

  get method(): string {
    return this.#request.method.toUpperCase();
  }

  header(name: string): string | undefined {
    return headerValue(this.#request.headers, name);
  }

  /** A preflight asks whether a browser may send the request that follows it. */
  get isPreflight(): boolean {
    return (
      this.method === 'OPTIONS' &&
      this.header('origin') !== undefined &&
      this.header('access-control-request-method') !== undefined
    );
  }

  /** Undefined when the client does not say, as clients other than browsers do. */
  get resourceType(): string | undefined {
    if (this.#resourceType === null) this.#resourceType = this.#readResourceType();
    return this.#resourceType;
  }

  #readResourceType(): string | undefined {
    const destination = this.header('sec-fetch-dest')?.trim().toLowerCase();
    if (destination === undefined) return undefined;
    return Object.hasOwn(RESOURCE_TYPES, destination) ? RESOURCE_TYPES[destination] : 'other';
  }

  /** Of the page that asks, without a port; undefined when it is not told. */
  get pageHost(): string | undefined {
    if (this.#pageHost === null) {
      const { host } = parseUrl(this.header('origin') ?? '') ?? this.referer ?? {};
      this.#pageHost = host?.replace(/:\d+$/, '');
    }
    return this.#pageHost;
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
      return take(this.#budget, query.length * PARSE_WORK) ? { fields: fieldsOf(query) } : undefined;
    }
    const { body } = this.#request;
    if (body === undefined || !take(this.#budget, body.length * PARSE_WORK)) return undefined;
    try {
      return { value: JSON.parse(body.toString('utf8')) as unknown };
    } catch {
      const encoding = this.header('content-encoding')?.trim().toLowerCase() ?? 'identity';
      return encoding === 'identity' || encoding === '' ? undefined : 'encoded';
    }
  }
}

function fieldsOf(query: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}
