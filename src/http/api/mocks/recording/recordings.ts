/** The interface of the egress process that the recording endpoints use. */
import type { RecordingFilter, RecordingPage } from '../../../../model/mocks/upstream/recording.ts';

/** Each throws when that process ends before it has answered. While it does not run, nothing is recorded. */
export interface Recordings {
  readonly read: (
    mockId: string,
    asked: RecordingFilter & { readonly before?: number; readonly limit: number },
  ) => Promise<RecordingPage>;
  /** @param session All exchanges of the mock where it is undefined. */
  readonly clear: (mockId: string, session: string | undefined) => Promise<void>;
}
