/** What a mock, or one of its sessions, was asked, and would answer. */
import { followRequests } from './request-stream.ts';
import type {
  AsSummaries,
  CountsOptions,
  Expectation,
  FollowOptions,
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
import type { Envelope, Transport } from './transport.ts';
import { VerificationError } from './verification-error.ts';

export class TrafficClient {
  protected readonly transport: Transport;
  /** Segments of the path. */
  protected readonly path: readonly string[];

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
    >('GET', [...this.path, 'requests'], { query: { ...query } });
    return { records: data, total, truncated, oldest, nextBefore, epoch };
  }

  /** One of them, while it is recorded. @param requestId Its `id`. */
  request(requestId: string): Promise<RequestRecord> {
    return this.transport.record('GET', [...this.path, 'requests', requestId]);
  }

  /** The same as the text of an HTTP archive (HAR). Its `log._switchyard.nextBefore` leads to older ones. */
  requestsAsHar(query: Omit<RequestQuery, 'fields'> = {}): Promise<string> {
    return this.transport.text([...this.path, 'requests'], { ...query, format: 'har' });
  }

  /** Streams requests as they arrive: see `client.mocks.follow`. A session's stream ends with it. */
  follow(options: FollowOptions & AsSummaries): AsyncGenerator<RequestEvent<RequestSummary>, void>;
  follow(options?: Omit<FollowOptions, 'fields'>): AsyncGenerator<RequestEvent, void>;
  follow({ signal, ...query }: FollowOptions = {}): AsyncGenerator<RequestEvent<RequestSummary>, void> {
    return followRequests(this.transport, [...this.path, 'requests', 'stream'], query, signal);
  }

  /** Exact since the last reset, even for requests that are no longer recorded. */
  counts(options: CountsOptions = {}): Promise<RequestCounts> {
    return this.transport.record('GET', [...this.path, 'counts'], { query: { ...options } });
  }

  /** Checks how often requests were made. Resolves in either case: see `verified`. */
  verify(body: Expectation): Promise<Verification> {
    return this.transport.record('POST', [...this.path, 'verify'], { body });
  }

  /**
   * Like `verify`, for a test: rejects when the expectation is not met, with a message that lists the closest requests.
   *
   * @throws VerificationError with the whole result.
   */
  async assertVerified(body: Expectation): Promise<Verification> {
    const verification = await this.verify(body);
    if (!verification.verified) throw new VerificationError(body, verification, this.replayHint());
    return verification;
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
