/** Shapes of what a mock has to do with real services: recordings, their check, drift, callbacks. */
import type { Static } from 'typebox';
import type { reportSchema, summarySchema } from '../drift/report.ts';
import type { HeaderLine } from '../model/mocks/definition/definition.ts';
import type { callbackPageSchema, callbackQuerySchema, callbackRecordSchema } from '../model/mocks/callback-record.ts';
import type { exchangeSchema, recordingPage, recordingQuerySchema } from '../model/mocks/upstream/recording.ts';
import type { checkRecordingSchema, stageRecordingSchema } from '../model/mocks/upstream/replay-schema.ts';
import type { replayCheckSchema } from '../model/mocks/upstream/replay-check.ts';
import type { callbackExpectationSchema } from '../model/mocks/verification.ts';
import type { DeepReadonly, StagedImport, MockRecord, SettingsInput } from './shapes.ts';

/** Which exchanges are staged, and how: docs/guide-recording.md. */
export type StageRecordingOptions = DeepReadonly<Static<typeof stageRecordingSchema>>;

export type CheckRecordingOptions = DeepReadonly<Static<typeof checkRecordingSchema>>;

export type ReplayCheck = DeepReadonly<Static<typeof replayCheckSchema>>;

export interface StagedRecording extends StagedImport {
  /** Whether the working copy answers as it was recorded; null when the check took too long, or had to wait too long. */
  readonly check: ReplayCheck | null;
}

/** Options of `mocks.record`. */
export interface RecordOptions extends Omit<StageRecordingOptions, 'session' | 'since' | 'status'> {
  /** The address of the real service. */
  readonly upstream: string;
  /** Further settings of the proxy, such as `redact`. */
  readonly proxy?: Partial<NonNullable<SettingsInput['proxy']>>;
}

export interface RecordingResult extends StagedRecording {
  /** Serves what was staged. 412 when the working copy has changed since. */
  readonly save: () => Promise<MockRecord>;
}

/** One request that was sent to the upstream of a mock, and its answer. */
export type RecordedExchange = DeepReadonly<Static<typeof exchangeSchema>>;

export type RecordingQuery = Omit<DeepReadonly<Static<typeof recordingQuerySchema>>, 'format'>;

export interface RecordingPage extends DeepReadonly<Static<typeof recordingPage>> {
  /** Newest first. */
  readonly records: readonly RecordedExchange[];
}

/** A request that a mock sent after an answer, with its attempts. */
export type CallbackRecord = DeepReadonly<Static<typeof callbackRecordSchema>>;

/** `limit` is 100 by default, and at most 1,000. */
export type CallbackQuery = Omit<DeepReadonly<Static<typeof callbackQuerySchema>>, 'format'>;

export interface CallbackPage extends Omit<DeepReadonly<Static<typeof callbackPageSchema>>, 'data'> {
  /** Newest first. */
  readonly records: readonly CallbackRecord[];
}

/** The same of callbacks. */
export type CallbackExpectation = DeepReadonly<Static<typeof callbackExpectationSchema>>;

/** How a mock is compared with the real service: docs/drift.md. */
export interface DriftInput {
  /** The upstream of the mock's `settings.proxy` when not given. */
  readonly upstream?: string;
  /** Ids. All that are enabled when not given. */
  readonly routes?: readonly string[];
  /** `saved` when not given. A number is that of a version. */
  readonly against?: 'staged' | 'saved' | number;
  /** Whether requests other than GET and HEAD are sent. */
  readonly unsafe?: boolean;
  /** `shape` when not given. */
  readonly compare?: 'shape' | 'values';
  /** JSONPaths of what is left out. */
  readonly ignore?: readonly string[];
  /** How often each request is sent, 2 when not given: what differs between the answers is volatile. */
  readonly repeat?: number;
  /** Added to each request, such as credentials; never kept. */
  readonly headers?: readonly HeaderLine[];
  /** Whether answers with breaking changes go into the working copy. */
  readonly stage?: boolean;
}

/** A run without its results. */
export type DriftSummary = DeepReadonly<Static<typeof summarySchema>>;

export type DriftReport = DeepReadonly<Static<typeof reportSchema>>;
