/** State of a recording, which its world keeps in memory. */
import { refuse, type Refusal } from '../../../errors.ts';
import type { Recordings } from '../../api/mocks/recording/recordings.ts';
import type { RecordSpec } from './record-spec.ts';

/** The exchanges of the mock that are recorded at some time: what comes later has higher numbers. */
export interface RecordingMark {
  readonly epoch: string | null;
  readonly number: number;
  readonly dropped: number;
  /** Count of exchanges that are dropped before any later one is. */
  readonly older: number;
}

export interface RecordingState {
  readonly isActive: boolean;
  readonly spec: RecordSpec;
  readonly mark: RecordingMark;
  /** Names the stub that sends everything on. */
  readonly stubId: string | undefined;
}

export const FROM_THE_START: RecordingMark = { epoch: null, number: 0, dropped: 0, older: 0 };

export async function markNow({ read }: Pick<Recordings, 'read'>, mockId: string): Promise<RecordingMark | Refusal> {
  const page = await read(mockId, { limit: 1 }).catch(() => undefined);
  if (page === undefined) return refuse('overloaded');
  const { epoch, dropped, total, exchanges } = page;
  return { epoch, number: Number(exchanges[0]?.id ?? 0), dropped, older: total };
}
