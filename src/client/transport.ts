/** One request to the API: headers, envelope, ETags, refusals. What may be asked is in the files of mocks, rules and groups. */
import type { Detail } from '../errors.ts';
import type { Page } from '../model/queries.ts';
import type { Guarded, Repeatable } from './shapes.ts';
import { SwitchyardError } from './switchyard-error.ts';

export interface Target {
  /** With its version: `http://127.0.0.1:8080/v1`. */
  readonly apiUrl: string;
  readonly key: string;
}

export type Query = { readonly [name: string]: string | number | boolean | undefined };

export interface SendOptions extends Guarded, Repeatable {
  readonly body?: object;
  readonly query?: Query;
}

/** What the server puts around every answer. */
export interface Envelope<Data> {
  readonly data: Data;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export class Transport {
  readonly #apiUrl: string;
  readonly #key: string;
  /** The ETag that each returned record came with. */
  readonly #etags = new WeakMap<object, string>();

  /** @throws TypeError when it is no target: what a test forgot to pass would else be a refusal of the server. */
  constructor({ apiUrl, key }: Target) {
    if (typeof apiUrl !== 'string' || !/^https?:\/\//.test(apiUrl)) {
      throw new TypeError(`apiUrl must be a URL such as http://127.0.0.1:8080/v1, got ${apiUrl}`);
    }
    if (typeof key !== 'string' || key === '') throw new TypeError('key must be an API key');
    this.#apiUrl = apiUrl.replace(/\/+$/, '');
    this.#key = key;
  }

  get apiUrl(): string {
    return this.#apiUrl;
  }

  /**
   * Sends a request and reads its answer.
   *
   * @param path Segments below the API's own path; each is escaped.
   * @returns The whole envelope.
   * @throws SwitchyardError when it is refused, with the refusal's status, or has no answer, with status 0.
   */
  async send<Answer>(method: Method, path: readonly string[], options: SendOptions = {}): Promise<Answer> {
    const { body, query = {}, ifMatch, idempotencyKey } = options;
    const url = this.#urlOf(path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { 'x-api-key': this.#key };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (ifMatch !== undefined) headers['if-match'] = this.#etagOf(ifMatch);
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;

    const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const asked = `${method} ${url.origin}${url.pathname}`;
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, request);
      text = await response.text();
    } catch (error) {
      throw noAnswer(asked, error);
    }
    const answer = parsed(text);
    if (!response.ok || answer === undefined) throw refused(asked, response, answer);
    const etag = response.headers.get('etag');
    if (etag !== null && typeof answer.data === 'object' && answer.data !== null) this.#etags.set(answer.data, etag);
    return answer as Answer;
  }

  /** For an answer that goes on. @throws As `send`; and whatever fetch throws when `signal` is aborted. */
  async stream(path: readonly string[], signal: AbortSignal | undefined): Promise<ReadableStream<Uint8Array>> {
    const url = this.#urlOf(path);
    const response = await fetch(url, {
      headers: { 'x-api-key': this.#key },
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.ok && response.body !== null) return response.body;
    throw refused(`GET ${url.origin}${url.pathname}`, response, parsed(await response.text()));
  }

  /** The error of a request that had no answer, or not all of it. */
  noAnswer(path: readonly string[], error: unknown): SwitchyardError {
    const url = this.#urlOf(path);
    return noAnswer(`GET ${url.origin}${url.pathname}`, error);
  }

  /** For answers that are one record. */
  async record<Data>(method: Method, path: readonly string[], options?: SendOptions): Promise<Data> {
    return (await this.send<Envelope<Data>>(method, path, options)).data;
  }

  /** For lists. */
  async page<Data>(path: readonly string[], query: Query): Promise<Page<Data>> {
    const { data, total, nextOffset } = await this.send<
      Envelope<readonly Data[]> & { total: number; nextOffset: number | null }
    >('GET', path, { query });
    return { records: data, total, nextOffset };
  }

  #urlOf(path: readonly string[]): URL {
    for (const segment of path) {
      if (typeof segment !== 'string' || segment === '') {
        throw new TypeError(
          `an id must be a string that is not empty, got ${typeof segment === 'string' ? '""' : typeof segment}`,
        );
      }
    }
    return new URL(`${this.#apiUrl}/${path.map(encodeURIComponent).join('/')}`);
  }

  #etagOf(ifMatch: string | object): string {
    if (typeof ifMatch === 'string') return ifMatch;
    const etag = this.#etags.get(ifMatch);
    if (etag === undefined) {
      throw new TypeError('ifMatch is no record with an ETag: pass what get, create or update of this client returned');
    }
    return etag;
  }
}

interface Answered {
  readonly success: boolean;
  readonly message?: string;
  readonly details?: readonly Detail[];
  readonly data?: unknown;
}

function noAnswer(asked: string, error: unknown): SwitchyardError {
  return new SwitchyardError(`no answer to ${asked}: ${reasonOf(error)}`, { status: 0, cause: error });
}

function refused(asked: string, { status, headers }: Response, answer: Answered | undefined): SwitchyardError {
  const requestId = headers.get('x-request-id') ?? undefined;
  if (answer === undefined) {
    const message = `${asked} was answered ${status} without the JSON of a Switchyard API`;
    return new SwitchyardError(message, { status, requestId });
  }
  return new SwitchyardError(answer.message ?? asked, { status, requestId, ...detailsOf(answer) });
}

function detailsOf({ details }: Answered): { details?: readonly Detail[] } {
  return details === undefined ? {} : { details };
}

function parsed(text: string): Answered | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'success' in value ? (value as Answered) : undefined;
  } catch {
    return undefined;
  }
}

/** fetch says "fetch failed" and hides why in `cause`, which may have several causes itself, one per address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? reasonOf(cause) : error.message;
}
