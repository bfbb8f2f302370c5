/** The runs of this server: begun, found again, cancelled, and forgotten when there are newer ones. In memory alone. */
import { randomId } from '../base/random-id.ts';
import { refuse, refuseLimit, type Refusal } from '../errors.ts';
import {
  DRIFT_REPORTS_BYTES_MAX,
  DRIFT_REPORTS_PER_OWNER_MAX,
  DRIFTS_RUNNING_MAX,
  DRIFTS_RUNNING_PER_OWNER_MAX,
} from '../limits.ts';
import type { DriftReport } from './report.ts';
import { DriftRun, type DriftAsked, type DriftMeans } from './run-drift.ts';

/** What is counted of runs that are over. */
type RunVerdict = NonNullable<DriftReport['verdict']> | 'cancelled';

interface Kept {
  readonly ownerId: string;
  readonly mockId: string;
  readonly run: DriftRun;
  /** Once it is over; 0 before. */
  bytes: number;
}

const ID_CHARS = 20;

export class DriftBook {
  readonly #now: () => number;
  /** By id, oldest first. */
  readonly #runs = new Map<string, Kept>();
  /** How many are over, by verdict. */
  readonly counts = new Map<RunVerdict, number>();
  #bytes = 0;

  /** @param now Milliseconds since the Unix epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  begin(ownerId: string, asked: Omit<DriftAsked, 'id'>, means: DriftMeans): DriftRun | Refusal {
    const running = [...this.#runs.values()].filter(({ run }) => run.isRunning);
    if (running.filter((kept) => kept.ownerId === ownerId).length >= DRIFTS_RUNNING_PER_OWNER_MAX)
      return refuseLimit(`${DRIFTS_RUNNING_PER_OWNER_MAX} drift runs at a time`);
    if (running.length >= DRIFTS_RUNNING_MAX) return refuse('overloaded');
    const id = randomId(ID_CHARS);
    const kept = { ownerId, mockId: asked.mockId, run: new DriftRun({ ...asked, id }, means, this.#now), bytes: 0 };
    this.#runs.set(id, kept);
    void kept.run.finished.then(() => this.#end(kept));
    this.#forgetOldest(ownerId);
    return kept.run;
  }

  find(ownerId: string, mockId: string, id: string): DriftRun | Refusal {
    const kept = this.#runs.get(id);
    if (kept?.ownerId === ownerId && kept.mockId === mockId) return kept.run;
    return refuse('driftNotFound', [{ path: '', message: REPORTS_KEPT }]);
  }

  /** Newest first. */
  list(ownerId: string, mockId: string): DriftRun[] {
    const all = [...this.#runs.values()].filter((kept) => kept.ownerId === ownerId && kept.mockId === mockId);
    return all.map(({ run }) => run).toReversed();
  }

  stop(): void {
    for (const { run } of this.#runs.values()) run.cancel();
  }

  #end(kept: Kept): void {
    const { state, verdict } = kept.run.report;
    const counted = state === 'cancelled' ? 'cancelled' : (verdict ?? 'cancelled');
    this.counts.set(counted, (this.counts.get(counted) ?? 0) + 1);
    kept.bytes = JSON.stringify(kept.run.report).length;
    this.#bytes += kept.bytes;
    for (const [id, each] of this.#runs) {
      if (this.#bytes <= DRIFT_REPORTS_BYTES_MAX) return;
      if (!each.run.isRunning && each !== kept) this.#forget(id, each);
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

  #forget(id: string, { bytes }: Kept): void {
    this.#runs.delete(id);
    this.#bytes -= bytes;
  }
}

const REPORTS_KEPT = `the server that ran it keeps the last ${DRIFT_REPORTS_PER_OWNER_MAX} reports of an owner in memory, until it stops`;
