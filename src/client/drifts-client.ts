/** Whether a real service still answers as a mock does: `client.mocks.drifts`. */
import type { DriftInput, DriftReport, DriftSummary } from './upstream-shapes.ts';
import type { Transport } from './transport.ts';

/** The longest that the server waits in one request. */
const WAIT_MS = 30_000;

export class DriftsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Begins a run. */
  start(mockId: string, body: DriftInput = {}): Promise<DriftSummary> {
    return this.#transport.record('POST', ['mocks', mockId, 'drifts'], { body });
  }

  /** The last runs of the mock, newest first. */
  list(mockId: string): Promise<readonly DriftSummary[]> {
    return this.#transport.record('GET', ['mocks', mockId, 'drifts']);
  }

  /** @param waitMs How long to wait for the end of the run, at most 30,000. */
  get(mockId: string, id: string, waitMs = 0): Promise<DriftReport> {
    return this.#transport.record('GET', ['mocks', mockId, 'drifts', id], { query: { waitMs } });
  }

  /** The report keeps the results so far. */
  cancel(mockId: string, id: string): Promise<DriftSummary> {
    return this.#transport.record('DELETE', ['mocks', mockId, 'drifts', id]);
  }

  /** Begins a run, and resolves with its report once it is over. */
  async run(mockId: string, body: DriftInput = {}): Promise<DriftReport> {
    const { id } = await this.start(mockId, body);
    for (;;) {
      const report = await this.get(mockId, id, WAIT_MS);
      if (report.state !== 'running') return report;
    }
  }
}
