/** Mock servers: `client.mocks`. Records, state, versions, and what was asked of them; the working copy is `staged`. */
import type { MockDefinition } from '../model/mocks/definition.ts';
import type { Page, PageRequest } from '../model/queries.ts';
import { followRequests } from './request-stream.ts';
import type {
  Expectation,
  Guarded,
  MockInput,
  MockRecord,
  Repeatable,
  RequestCounts,
  RequestEvent,
  RequestPage,
  RequestQuery,
  RequestRecord,
  TryAnswer,
  TryInput,
  Verification,
  VersionRecord,
} from './shapes.ts';
import { StagedClient } from './staged-client.ts';
import type { Envelope, Transport } from './transport.ts';
import { VerificationError } from './verification-error.ts';

export class MocksClient {
  readonly staged: StagedClient;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.staged = new StagedClient(transport);
  }

  /**
   * Where a mock answers, also where host names under `localhost` do not resolve.
   *
   * @param path Starts with "/", may have a query. Without it the address is a base to put paths behind; it has no "/" at its end,
   *   and a path of its own (`/__mock/<id>`), so `new URL('/x', base)` would lose it.
   */
  urlFor({ id, url }: Pick<MockRecord, 'id' | 'url'>, path = ''): string {
    const own = new URL(url);
    if (!own.hostname.endsWith('.localhost')) return `${url.replace(/\/+$/, '')}${path}`;
    // One `--host` is the address of both ports.
    return `${own.protocol}//${new URL(this.#transport.apiUrl).hostname}:${own.port}/__mock/${id}${path}`;
  }

  /** fetch on a mock, at `urlFor(mock, path)`. */
  fetch(mock: Pick<MockRecord, 'id' | 'url'>, path: string, init?: RequestInit): Promise<Response> {
    return fetch(this.urlFor(mock, path), init);
  }

  list(page: Partial<PageRequest> = {}): Promise<Page<MockRecord>> {
    return this.#transport.page(['mocks'], { ...page });
  }

  get(id: string): Promise<MockRecord> {
    return this.#transport.record('GET', ['mocks', id]);
  }

  /** When it resolves, every thread serves it, unless it has `published: false`. So it is with start, stop, save and delete. */
  create(body: MockInput, options?: Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks'], { ...options, body });
  }

  /** Changes name and description; what it answers is changed in `staged`, and then saved. */
  update(id: string, body: Pick<MockInput, 'name' | 'description'>, options?: Guarded): Promise<MockRecord> {
    return this.#transport.record('PUT', ['mocks', id], { ...options, body });
  }

  async delete(id: string, options?: Guarded): Promise<void> {
    await this.#transport.send('DELETE', ['mocks', id], options);
  }

  start(id: string, options?: Guarded & Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks', id, 'start'], options);
  }

  /** From then on it answers 503. */
  stop(id: string, options?: Guarded & Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks', id, 'stop'], options);
  }

  /** The working copy becomes the next version, and is served. `ifMatch` takes what a method of `staged` returned. */
  save(id: string, options?: Guarded & Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks', id, 'save'], options);
  }

  /** The working copy becomes the saved version again. `ifMatch` as for `save`. */
  discard(id: string, options?: Guarded & Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks', id, 'discard'], options);
  }

  /** Newest first. */
  versions(id: string): Promise<readonly VersionRecord[]> {
    return this.#transport.record('GET', ['mocks', id, 'versions']);
  }

  version(id: string, number: number): Promise<VersionRecord & MockDefinition> {
    return this.#transport.record('GET', ['mocks', id, 'versions', String(number)]);
  }

  /** Stages a saved version; `save` makes it the next. */
  restore(id: string, number: number, options?: Guarded & Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks', id, 'versions', String(number), 'restore'], options);
  }

  async requests(id: string, query: RequestQuery = {}): Promise<RequestPage> {
    const { data, total, truncated, oldest, epoch } = await this.#transport.send<
      Envelope<readonly RequestRecord[]> & Omit<RequestPage, 'records'>
    >('GET', ['mocks', id, 'requests'], { query: { ...query } });
    return { records: data, total, truncated, oldest, epoch };
  }

  /**
   * Follows the requests from now on, as they come: `for await (const event of client.mocks.follow(id)) …`. Ends when the mock is
   * deleted, the server stops, or `signal` is aborted; leaving the loop ends it too.
   */
  follow(id: string, { signal }: { signal?: AbortSignal } = {}): AsyncGenerator<RequestEvent, void> {
    return followRequests(this.#transport, ['mocks', id, 'requests', 'stream'], signal);
  }

  /** Forgets recorded requests, counts and the places of sequences. */
  async resetRequests(id: string): Promise<void> {
    await this.#transport.send('DELETE', ['mocks', id, 'requests']);
  }

  /** Exact since the reset, whatever was dropped from the record. */
  counts(id: string): Promise<RequestCounts> {
    return this.#transport.record('GET', ['mocks', id, 'counts']);
  }

  /** Whether requests were made as often as expected. Resolves either way: look at `verified`. */
  verify(id: string, body: Expectation): Promise<Verification> {
    return this.#transport.record('POST', ['mocks', id, 'verify'], { body });
  }

  /**
   * As `verify`, for a test: rejects when it is not verified, and the error's message says what came instead.
   *
   * @throws VerificationError with the whole answer.
   */
  async assertVerified(id: string, body: Expectation): Promise<Verification> {
    const verification = await this.verify(id, body);
    if (!verification.verified) throw new VerificationError(body, verification);
    return verification;
  }

  /** How the mock would answer, and why; changes no count. */
  try(id: string, body: TryInput): Promise<TryAnswer> {
    return this.#transport.record('POST', ['mocks', id, 'try'], { body });
  }
}
