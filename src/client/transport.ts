/**
 * One request to the API: headers, envelope, ETags, refusals. The operations are in the files of mocks, rules and
 * groups.
 */
import type { Detail } from '../errors.ts';
import type { DefinitionWarning } from '../model/mocks/show/warnings.ts';
import type { Page } from '../model/queries.ts';
import type { ByteStream, Fetch, Signal } from './fetch-types.ts';
import type { Conditional, KnownPage, Repeatable } from './shapes.ts';
import { SwitchyardError } from './switchyard-error.ts';

export interface Target {
  /** With its version: `http://127.0.0.1:8080/v1`. */
  readonly apiUrl: string;
  readonly key: string;
  /** Folder for files that other programs read, such as certificates; a temporary one of this process by default. */
  readonly files?: string | undefined;
  /** Sends the requests; the global fetch by default. */
  readonly fetch?: Fetch | undefined;
}

export type Query = { readonly [name: string]: string | number | boolean | undefined };

export interface SendOptions extends Conditional, Repeatable {
  readonly body?: object;
  readonly ifNoneMatch?: string;
  /** Sent as it is, in place of `body`. */
  readonly file?: string | Uint8Array;
  readonly query?: Query;
}

/** The members around the data of every response. */
export interface Envelope<Data> {
  readonly data: Data;
}

interface ListEnvelope<Data> extends Envelope<readonly Data[]> {
  readonly total: number;
  readonly nextOffset: number | null;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export class Transport {
  readonly #apiUrl: string;
  readonly #key: string;
  readonly #carrier: Fetch | undefined;
  /** The ETag that each returned record, or list of records, came with. */
  readonly #etags = new WeakMap<object, string>();
  /** The warnings of each returned response to a change of a definition. */
  readonly #warnings = new WeakMap<object, readonly DefinitionWarning[]>();

  /**
   * @throws TypeError when a member is missing: otherwise the mistake of a test would appear as a refusal by the
   * server.
   */
  constructor({ apiUrl, key, fetch: carrier }: Target) {
    if (typeof apiUrl !== 'string' || !/^https?:\/\//.test(apiUrl)) {
      throw new TypeError(`apiUrl must be a URL such as http://127.0.0.1:8080/v1, got ${apiUrl}`);
    }
    if (typeof key !== 'string' || key === '') throw new TypeError('key must be an API key');
    this.#apiUrl = apiUrl.replace(/\/+$/, '');
    this.#key = key;
    this.#carrier = carrier;
  }

  get apiUrl(): string {
    return this.#apiUrl;
  }

  /**
   * Sends a request and reads its response.
   *
   * @param path Segments below the API's own path; each is escaped.
   * @returns The whole envelope.
   * @throws SwitchyardError with the status of a refusal, or with status 0 when there is no response.
   */
  async send<Answer>(method: Method, path: readonly string[], options: SendOptions = {}): Promise<Answer> {
    return this.#read(await this.#fetch(method, path, options)) as Answer;
  }

  #read({ response, text, target }: FetchedText): ResponseBody {
    const answer = parsed(text);
    if (!response.ok || answer === undefined) throw refused(target, response, answer);
    const etag = response.headers.get('etag');
    const { data, warnings } = answer;
    if (typeof data === 'object' && data !== null) {
      if (etag !== null) this.#etags.set(data, etag);
      if (warnings !== undefined) this.#warnings.set(data, warnings);
    }
    return answer;
  }

  /** @throws TypeError for a value that no such method returned. */
  warningsOf(answer: object): readonly DefinitionWarning[] {
    const warnings = this.#warnings.get(answer);
    if (warnings === undefined) {
      throw new TypeError(
        'pass the result of create, save, discard, restore or an edit of `staged`: only these contain warnings',
      );
    }
    return warnings;
  }

  /** @throws TypeError for a value that no method of this transport returned. */
  etagOf(answered: string | object): string {
    if (typeof answered === 'string') return answered;
    const etag = this.#etags.get(answered);
    if (etag === undefined) {
      throw new TypeError('no ETag is known: pass a record or a page that this client returned');
    }
    return etag;
  }

  /** Opens a stream. @throws As `send` does, and the error of fetch when `signal` is aborted. */
  async stream(path: readonly string[], query: Query, signal: Signal | undefined): Promise<ByteStream> {
    const url = this.#urlOf(path, query);
    const response = await this.#carry(url, {
      headers: { 'x-api-key': this.#key },
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.ok && response.body !== null) return response.body;
    throw refused(`GET ${url.origin}${url.pathname}`, response, parsed(await response.text()));
  }

  /** The error of a request without a complete response. */
  noResponse(path: readonly string[], error: unknown): SwitchyardError {
    const url = this.#urlOf(path);
    return noResponse(`GET ${url.origin}${url.pathname}`, error);
  }

  /** Sends a request whose response is one record. */
  async record<Data>(method: Method, path: readonly string[], options?: SendOptions): Promise<Data> {
    return (await this.send<Envelope<Data>>(method, path, options)).data;
  }

  /** Requests a page of a list. @returns `known` itself, when it is what the server would answer. */
  async page<Data extends { readonly etag: string }>(
    path: readonly string[],
    query: Query,
    { known }: KnownPage<Data> = {},
  ): Promise<Page<Data>> {
    const fetched = await this.#fetch('GET', path, {
      query,
      ...(known && { ifNoneMatch: this.etagOf(known.records) }),
    });
    if (fetched.response.status === 304 && known !== undefined) return known;
    const { data, total, nextOffset } = this.#read(fetched) as unknown as ListEnvelope<Data>;
    for (const record of data) this.#etags.set(record, record.etag);
    return { records: data, total, nextOffset };
  }

  /** Requests a file. @returns Its text. @throws As `send` does. */
  async text(path: readonly string[], query: Query): Promise<string> {
    const { response, text, target } = await this.#fetch('GET', path, { query });
    if (!response.ok) throw refused(target, response, parsed(text));
    return text;
  }

  async #fetch(method: Method, path: readonly string[], options: SendOptions): Promise<FetchedText> {
    const { body, file, query = {}, ifMatch, ifNoneMatch, idempotencyKey } = options;
    const url = this.#urlOf(path, query);
    const headers: Record<string, string> = { 'x-api-key': this.#key };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (ifMatch !== undefined) headers['if-match'] = this.etagOf(ifMatch);
    if (ifNoneMatch !== undefined) headers['if-none-match'] = ifNoneMatch;
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;

    if (file !== undefined) headers['content-type'] = 'application/octet-stream';
    const sent = file ?? (body === undefined ? undefined : JSON.stringify(body));
    // The types of browsers refuse an array over a SharedArrayBuffer, which nobody reads a file into.
    const content = sent as string | Uint8Array<ArrayBuffer> | undefined;
    const request = { method, headers, ...(content === undefined ? {} : { body: content }) };
    const target = `${method} ${url.origin}${url.pathname}`;
    try {
      const response = await this.#carry(url, request);
      return { response, text: await response.text(), target };
    } catch (error) {
      throw noResponse(target, error);
    }
  }

  #carry(...request: Parameters<Fetch>): ReturnType<Fetch> {
    return (this.#carrier ?? fetch)(...request);
  }

  #urlOf(path: readonly string[], query: Query = {}): URL {
    for (const segment of path) {
      if (typeof segment !== 'string' || segment === '') {
        throw new TypeError(
          `an id must be a non-empty string, got ${typeof segment === 'string' ? '""' : typeof segment}`,
        );
      }
      // A URL takes them for steps, however they are escaped.
      if (segment === '.' || segment === '..') throw new TypeError(`an id must not be "${segment}"`);
    }
    const url = new URL(`${this.#apiUrl}/${path.map(encodeURIComponent).join('/')}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }
}

interface FetchedText {
  readonly response: Response;
  readonly text: string;
  /** For messages. */
  readonly target: string;
}

interface ResponseBody {
  readonly success: boolean;
  readonly message?: string;
  readonly details?: readonly Detail[];
  readonly data?: unknown;
  readonly warnings?: readonly DefinitionWarning[];
}

function noResponse(target: string, error: unknown): SwitchyardError {
  return new SwitchyardError(`no response to ${target}: ${reasonOf(error)}`, { status: 0, cause: error });
}

function refused(target: string, { status, headers }: Response, answer: ResponseBody | undefined): SwitchyardError {
  const requestId = headers.get('x-request-id') ?? undefined;
  if (answer === undefined) {
    const message = `the response to ${target} has the status ${status} and is not JSON from a Switchyard API`;
    return new SwitchyardError(message, { status, requestId });
  }
  return new SwitchyardError(answer.message ?? target, { status, requestId, ...detailsOf(answer) });
}

function detailsOf({ details }: ResponseBody): { details?: readonly Detail[] } {
  return details === undefined ? {} : { details };
}

function parsed(text: string): ResponseBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'success' in value ? (value as ResponseBody) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * fetch rejects with "fetch failed" and the reason in `cause`, which may have several causes itself, one per address.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? reasonOf(cause) : error.message;
}
