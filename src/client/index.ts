/**
 * The entry of the package, for `import … from 'switchyard'`: a client of the API, and a server for a test suite.
 *
 * The only file that re-exports what others define, since a package has one entry.
 */
import type { Detail } from '../errors.ts';
import type { Report as InterchangeReport } from '../interchange/report.ts';
import type { MockDefinition, MockResponse, MockRoute } from '../model/mocks/definition.ts';
import type { CopyDiff, StagedDiff } from '../model/mocks/diff.ts';
import type { ScenarioState } from '../model/mocks/behaviour/scenario-state.ts';
import type { DefinitionWarning } from '../model/mocks/warnings.ts';
import type { Page } from '../model/queries.ts';
import { createClient, type Client } from './client.ts';
import { MockSession } from './mock-session.ts';
import type {
  AllRequestCounts,
  ChangeEvent,
  ChangeRecord,
  CountsOptions,
  DiffOptions,
  EvaluateInput,
  Evaluation,
  Expectation,
  ExportOptions,
  FollowOptions,
  FullSessionRecord,
  GroupInput,
  GroupRecord,
  HistoryPage,
  HistoryQuery,
  HistoryRecord,
  ImportBundle,
  ImportedMocks,
  ImportedRules,
  ImportPreview,
  ImportSource,
  Known,
  Listed,
  ListedSessionRecord,
  Me,
  MockExport,
  MockImportOptions,
  MockInput,
  MockRecord,
  OverlayInput,
  OwnedGroupRecord,
  ReadOptions,
  RequestCounts,
  RequestEvent,
  RequestPage,
  RequestQuery,
  RequestRecord,
  RequestSummary,
  RequestTotals,
  ResponseInput,
  RouteInput,
  RouteSummary,
  RuleInput,
  RulePatch,
  RuleRecord,
  RulesBatch,
  RulesExportOptions,
  RulesImportOptions,
  SessionEnd,
  SessionInput,
  SessionRecord,
  SettingsInput,
  StagedImport,
  StagedInput,
  TryAnswer,
  TryInput,
  Verification,
  VersionRecord,
} from './shapes.ts';
import { startProcess, type ServerProcess, type StartOptions } from './server-process.ts';
import { SwitchyardError } from './switchyard-error.ts';
import type { Target } from './transport.ts';
import { VerificationError } from './verification-error.ts';

/** A server started by this process. */
export interface Switchyard extends ServerProcess {
  /** Authenticates with `key`. */
  readonly client: Client;
}

/**
 * Starts a server of this package on free ports of 127.0.0.1. Without `data` its data directory is temporary.
 *
 * @returns A server that is ready for requests. It stops on `stop`, or when this process ends for any reason.
 * @throws Error with the output of the server when it does not start.
 */
export async function startSwitchyard(options: StartOptions = {}): Promise<Switchyard> {
  const server = await startProcess(options);
  return { ...server, client: createClient(server) };
}

export { createClient, MockSession, SwitchyardError, VerificationError };
export type {
  AllRequestCounts,
  ChangeEvent,
  ChangeRecord,
  Client,
  CopyDiff,
  CountsOptions,
  DefinitionWarning,
  Detail,
  DiffOptions,
  EvaluateInput,
  Evaluation,
  Expectation,
  ExportOptions,
  FollowOptions,
  FullSessionRecord,
  GroupInput,
  GroupRecord,
  HistoryPage,
  HistoryQuery,
  HistoryRecord,
  ImportBundle,
  ImportedMocks,
  ImportedRules,
  ImportPreview,
  ImportSource,
  InterchangeReport,
  Known,
  Listed,
  ListedSessionRecord,
  Me,
  MockDefinition,
  MockExport,
  MockImportOptions,
  MockInput,
  MockRecord,
  MockResponse,
  MockRoute,
  OverlayInput,
  OwnedGroupRecord,
  Page,
  ReadOptions,
  RequestCounts,
  RequestEvent,
  RequestPage,
  RequestQuery,
  RequestRecord,
  RequestSummary,
  RequestTotals,
  ResponseInput,
  RouteInput,
  RouteSummary,
  RuleInput,
  RulePatch,
  RuleRecord,
  RulesBatch,
  RulesExportOptions,
  RulesImportOptions,
  ScenarioState,
  SessionEnd,
  SessionInput,
  SessionRecord,
  SettingsInput,
  StagedDiff,
  StagedImport,
  StagedInput,
  StartOptions,
  Target,
  TryAnswer,
  TryInput,
  Verification,
  VersionRecord,
};
