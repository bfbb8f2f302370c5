/** Exchanges of the gateway, or of one of its sessions. */
import type { ExchangeExpectation, ExchangeVerification } from './gateway-shapes.ts';
import type { ExchangeCounts, ExchangePage, ExchangeQuery } from './shapes.ts';
import type { Envelope, Transport } from './transport.ts';
import { VerificationError } from './verification-error.ts';

export class ExchangesClient {
  protected readonly transport: Transport;
  /** Segments of the path. */
  protected readonly path: readonly string[];

  constructor(transport: Transport, path: readonly string[]) {
    this.transport = transport;
    this.path = path;
  }

  /** Newest first. Older ones follow while `nextBefore` is a number: pass it as `before`. */
  async requests(query: ExchangeQuery = {}): Promise<ExchangePage> {
    const { data, total, truncated, nextBefore, epoch } = await this.transport.send<
      Envelope<ExchangePage['records']> & Omit<ExchangePage, 'records'>
    >('GET', [...this.path, 'requests'], { query: { ...query } });
    return { records: data, total, truncated, nextBefore, epoch };
  }

  /** The list as the text of an HTTP archive (HAR), with the bodies that are kept. */
  requestsAsHar(query: ExchangeQuery = {}): Promise<string> {
    return this.transport.text([...this.path, 'requests'], { ...query, format: 'har' });
  }

  /** Checks how often exchanges were made. Resolves in either case: see `verified`. */
  verify(body: ExchangeExpectation): Promise<ExchangeVerification> {
    return this.transport.record('POST', [...this.path, 'verify'], { body });
  }

  /**
   * Like `verify`, for a test: rejects when the expectation is not met, with a message that lists the closest exchanges.
   *
   * @throws VerificationError with the whole result.
   */
  async assertVerified(body: ExchangeExpectation): Promise<ExchangeVerification> {
    const verification = await this.verify(body);
    if (!verification.verified) throw new VerificationError(body, verification, '', 'the gateway');
    return verification;
  }

  /** Exact: since the start of the gateway or the last reset, or while the session lives. */
  counts(): Promise<ExchangeCounts> {
    return this.transport.record('GET', [...this.path, 'counts']);
  }
}
