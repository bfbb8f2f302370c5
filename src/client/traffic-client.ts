/** Requests to a mock, or to one of its sessions, and the answers that it would give. */
import { MissesError, reasonOf, type Miss } from './misses-error.ts';
import { followRequests } from './request-stream.ts';
import type {
  AsSummaries,
  CountsOptions,
  Expectation,
  FollowOptions,
  Match,
  RequestCounts,
  RequestEvent,
  RequestPage,
  RequestQuery,
  RequestRecord,
  RequestSummary,
  TryAnswer,
  TryInput,
  Verification,
} from './shapes.ts';
import type { CallbackExpectation, CallbackPage, CallbackQuery } from './upstream-shapes.ts';
import type { Envelope, Transport } from './transport.ts';
import { VerificationError } from './verification-error.ts';

/** Requests that an error names. */
const MISSES_SHOWN = 10;

export class TrafficClient {
  protected readonly transport: Transport;
  /** Segments of the path. */
  protected readonly path: readonly string[];
  /** A mock is asked for those of its sessions too, as its list of requests has them. */
  protected readonly countsOfAll: CountsOptions = { sessions: true };

  constructor(transport: Transport, path: readonly string[]) {
    this.transport = transport;
    this.path = path;
  }

  /** Newest first. Older ones follow while `nextBefore` is a number: pass it as `before`. */
  requests(query: RequestQuery & AsSummaries): Promise<RequestPage<RequestSummary>>;
  requests(query?: Omit<RequestQuery, 'fields'>): Promise<RequestPage>;
  async requests(query: RequestQuery = {}): Promise<RequestPage<RequestSummary>> {
    const { data, total, truncated, oldest, nextBefore, epoch } = await this.transport.send<
      Envelope<readonly RequestSummary[]> & Omit<RequestPage, 'records'>
    >('GET', [...this.path, 'requests'], { query: asSent(query) });
    return { records: data, total, truncated, oldest, nextBefore, epoch };
  }

  /** One of them, while it is recorded. @param requestId Its `id`. */
  request(requestId: string): Promise<RequestRecord> {
    return this.transport.record('GET', [...this.path, 'requests', requestId]);
  }

  /** The same as the text of an HTTP archive (HAR). Its `log._switchyard.nextBefore` leads to older ones. */
  requestsAsHar(query: Omit<RequestQuery, 'fields'> = {}): Promise<string> {
    return this.transport.text([...this.path, 'requests'], { ...asSent(query), format: 'har' });
  }

  /** Streams requests as they arrive: see `client.mocks.follow`. A session's stream ends with it. */
  follow(options: FollowOptions & AsSummaries): AsyncGenerator<RequestEvent<RequestSummary>, void>;
  follow(options?: Omit<FollowOptions, 'fields'>): AsyncGenerator<RequestEvent, void>;
  follow({ signal, ...query }: FollowOptions = {}): AsyncGenerator<RequestEvent<RequestSummary>, void> {
    return followRequests(this.transport, [...this.path, 'requests', 'stream'], asSent(query), signal);
  }

  /** Requests that were sent after answers, newest first, each with its attempts. Older ones follow as with `requests`. */
  async callbacks(query: CallbackQuery = {}): Promise<CallbackPage> {
    const { data, total, nextBefore, truncated, revision, epoch } = await this.transport.send<
      Envelope<CallbackPage['records']> & Omit<CallbackPage, 'records'>
    >('GET', [...this.path, 'callbacks'], { query: { ...query } });
    return { records: data, total, nextBefore, truncated, revision, epoch };
  }

  /** The same as the text of an HTTP archive (HAR). */
  callbacksAsHar(query: CallbackQuery = {}): Promise<string> {
    return this.transport.text([...this.path, 'callbacks'], { ...query, format: 'har' });
  }

  /** Exact since the last reset, even for requests that are no longer recorded. */
  counts(options: CountsOptions = {}): Promise<RequestCounts> {
    return this.transport.record('GET', [...this.path, 'counts'], { query: { ...options } });
  }

  /** Checks how often requests were made, or callbacks. Resolves in either case: see `verified`. */
  verify(body: Expectation | CallbackExpectation): Promise<Verification> {
    return this.transport.record('POST', [...this.path, 'verify'], { body });
  }

  /**
   * Like `verify`, for a test: rejects when the expectation is not met, with a message that lists the closest requests.
   *
   * @throws VerificationError with the whole result.
   */
  async assertVerified(body: Expectation | CallbackExpectation): Promise<Verification> {
    const verification = await this.verify(body);
    if (!verification.verified) throw new VerificationError(body, verification, this.replayHint());
    return verification;
  }

  /**
   * Resolves when no request matches, and rejects with those that do.
   *
   * @throws VerificationError, also when older requests were dropped, or cannot be judged.
   */
  never(match: Match): Promise<Verification> {
    return this.assertVerified({ match, exactly: 0 });
  }

  /**
   * Resolves when every request was answered by a route, and rejects with those that were not, each with the reason.
   *
   * @throws MissesError
   */
  async assertNoMisses(): Promise<void> {
    const { records, total, truncated } = await this.requests({ matched: false, limit: MISSES_SHOWN });
    // Counts are exact where not all is recorded.
    const count = truncated ? Math.max(total, (await this.counts(this.countsOfAll)).unmatched) : total;
    if (count === 0) return;
    const misses: Miss[] = [];
    for (const request of records) misses.push({ request, reason: await this.#reasonOf(request) });
    throw new MissesError(count, misses, this.replayHint());
  }

  /** Explains a request by the reason that was recorded with it; else, for a 404, what a dry run says of the routes that are nearest. */
  async #reasonOf(request: RequestRecord): Promise<string> {
    const { problem, status, method, path, query, headers, body, bodyEncoding, version } = request;
    if (problem !== undefined || status !== 404) return problem ?? '';
    const asked = {
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers,
      against: version,
      ...(body === '' ? {} : { body }),
      ...(bodyEncoding === undefined ? {} : { bodyEncoding }),
    };
    // The version may be gone, and what it would answer now may differ.
    const answer = await this.try(asked).catch(() => undefined);
    return answer === undefined || answer.route !== null ? '' : reasonOf(answer);
  }

  /** Shows the answer to a request, and why. Changes no count. */
  try(body: TryInput): Promise<TryAnswer> {
    return this.transport.record('POST', [...this.path, 'try'], { body });
  }

  /** How what was asked can be repeated, for the message of a failed verification. */
  protected replayHint(): string {
    return '';
  }
}

/** Conditions are sent as JSON text. */
function asSent<Query extends { readonly rules?: RequestQuery['rules'] }>(
  query: Query,
): Omit<Query, 'rules'> & { rules?: string } {
  const { rules, ...others } = query;
  if (rules === undefined) return others;
  return { ...others, rules: typeof rules === 'string' ? rules : JSON.stringify(rules) };
}
