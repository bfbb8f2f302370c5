/** What is kept of a recording by the world that it belongs to: in memory. */
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
