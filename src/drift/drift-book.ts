/**
 * The runs of this server: begun, found again, cancelled, and forgotten when there are newer ones. In memory alone. When the reports of all
 * owners take too much, the owner that has most loses its oldest.
 */
import { LargestFirst } from '../base/largest-first.ts';
import { randomId } from '../base/random-id.ts';
import { refuse, refuseLimit, type Refusal } from '../errors.ts';
import {
  DRIFT_REPORTS_BYTES_MAX,
  DRIFT_REPORTS_PER_OWNER_MAX,
  DRIFTS_RUNNING_MAX,
  DRIFTS_RUNNING_PER_OWNER_MAX,
} from '../limits.ts';
import type { Mock } from '../model/mocks/mock.ts';
import type { DriftReport } from './report.ts';
import { DriftRun, type DriftQuery, type DriftPorts } from './run-drift.ts';

/** Verdicts of runs that are over, as they are counted. */
type RunVerdict = NonNullable<DriftReport['verdict']> | 'cancelled';

/** A mock that was deleted and made again is another one. */
type DriftedMock = Pick<Mock, 'id' | 'creationDate'>;

interface StoredRun {
  readonly ownerId: string;
  readonly mock: DriftedMock;
  readonly run: DriftRun;
  /** Once it is over; 0 before. */
  bytes: number;
}

const ID_CHARS = 20;

export class DriftBook {
  readonly #now: () => number;
  /** By id, oldest first. */
  readonly #runs = new Map<string, StoredRun>();
  /** How many are over, by verdict. */
  readonly counts = new Map<RunVerdict, number>();
  readonly #shares = new LargestFirst<string>();

  /** @param now Milliseconds since the Unix epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  begin(
    ownerId: string,
    { id: mockId, creationDate }: DriftedMock,
    asked: Omit<DriftQuery, 'id' | 'mockId'>,
    means: DriftPorts,
  ): DriftRun | Refusal {
    const running = [...this.#runs.values()].filter(({ run }) => run.isRunning);
    if (running.filter((kept) => kept.ownerId === ownerId).length >= DRIFTS_RUNNING_PER_OWNER_MAX)
      return refuseLimit(`${DRIFTS_RUNNING_PER_OWNER_MAX} drift runs at a time`);
    if (running.length >= DRIFTS_RUNNING_MAX) return refuse('overloaded');
    const id = randomId(ID_CHARS);
    const run = new DriftRun({ ...asked, id, mockId }, means, this.#now);
    const kept = { ownerId, mock: { id: mockId, creationDate }, run, bytes: 0 };
    this.#runs.set(id, kept);
    void kept.run.finished.then(() => this.#end(kept));
    this.#forgetOldest(ownerId);
    return kept.run;
  }

  find(ownerId: string, mock: DriftedMock, id: string): DriftRun | Refusal {
    const kept = this.#runs.get(id);
    if (kept !== undefined && isOf(kept, ownerId, mock)) return kept.run;
    return refuse('driftNotFound', [{ path: '', message: REPORTS_KEPT }]);
  }

  /** Newest first. */
  list(ownerId: string, mock: DriftedMock): DriftRun[] {
    const all = [...this.#runs.values()].filter((kept) => isOf(kept, ownerId, mock));
    return all.map(({ run }) => run).toReversed();
  }

  stop(): void {
    for (const { run } of this.#runs.values()) run.cancel();
  }

  #end(kept: StoredRun): void {
    const { state, verdict } = kept.run.report;
    const counted = state === 'cancelled' ? 'cancelled' : (verdict ?? 'cancelled');
    this.counts.set(counted, (this.counts.get(counted) ?? 0) + 1);
    kept.bytes = JSON.stringify(kept.run.report).length;
    this.#shares.change(kept.ownerId, kept.bytes);
    while (this.#shares.total > DRIFT_REPORTS_BYTES_MAX) {
      const largest = this.#shares.largest();
      const oldest = [...this.#runs].find(([, each]) => each.ownerId === largest && each.bytes > 0 && each !== kept);
      if (oldest === undefined) return;
      this.#forget(...oldest);
    }
  }

  #forgetOldest(ownerId: string): void {
    const own = [...this.#runs].filter(([, kept]) => kept.ownerId === ownerId);
    let tooMany = own.length - DRIFT_REPORTS_PER_OWNER_MAX;
    for (const [id, kept] of own) {
      if (tooMany <= 0) return;
      if (kept.run.isRunning) continue;
      this.#forget(id, kept);
      tooMany--;
    }
  }

  #forget(id: string, { ownerId, bytes }: StoredRun): void {
    this.#runs.delete(id);
    this.#shares.change(ownerId, -bytes);
  }
}

function isOf({ ownerId, mock }: StoredRun, asked: string, { id, creationDate }: DriftedMock): boolean {
  return ownerId === asked && mock.id === id && mock.creationDate === creationDate;
}

const REPORTS_KEPT = `the server that ran it keeps the last ${DRIFT_REPORTS_PER_OWNER_MAX} reports of an owner, in memory, until it stops`;
