/**
 * The entry of the package, for `import … from 'switchyard-server'`: a client of the API, and a server for a test suite.
 *
 * The only file that re-exports what others define, since a package has one entry.
 */
import { createClient as clientOf, type Client } from './client.ts';
import { GatewaySession } from './gateway-session.ts';
import { MockSession } from './mock-session.ts';
import { oidcSession } from './oidc.ts';
import { startProcess, type ServerProcess, type StartOptions } from './server-process.ts';
import { MissesError } from './misses-error.ts';
import { SwitchyardError } from './switchyard-error.ts';
import type { Target } from './transport.ts';
import { writeTrustFiles } from './trust-files.ts';
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

/**
 * A client of the API that uses fetch. Every method rejects with a SwitchyardError when the request is refused or gets no response. Nothing
 * is retried.
 *
 * @throws TypeError when the URL or key of the target is missing.
 */
export function createClient(target: Target): Client {
  return clientOf(target, (certificate) => writeTrustFiles(certificate, target.files));
}

export { GatewaySession, MissesError, MockSession, oidcSession, SwitchyardError, VerificationError };
export type { Detail } from '../errors.ts';
export type { Miss } from './misses-error.ts';
export type { Report as InterchangeReport } from '../interchange/report/report.ts';
export type { MockDefinition, MockResponse, MockRoute } from '../model/mocks/definition/definition.ts';
export type { CopyDiff, StagedDiff } from '../model/mocks/show/diff.ts';
export type { ScenarioState } from '../model/mocks/behaviour/scenario-state.ts';
export type { DefinitionWarning } from '../model/mocks/show/warnings.ts';
export type { Page } from '../model/queries.ts';
export type { Client } from './client.ts';
export type { OidcClient, OidcOptions, OidcUser } from './oidc.ts';
export type { EnvironmentOptions, ProxyOptions } from './gateway-client.ts';
export type { TrustFiles } from './proxy-environment.ts';
export type { Target } from './transport.ts';
export type { StartOptions } from './server-process.ts';
export type {
  AllRequestCounts,
  ChangeEvent,
  ChangeRecord,
  CountsOptions,
  DiffOptions,
  EvaluateInput,
  Evaluation,
  ExchangeCounts,
  ExchangePage,
  ExchangeQuery,
  ExchangeRecord,
  ExchangeSummary,
  Expectation,
  ExportOptions,
  FollowOptions,
  FullGatewaySessionRecord,
  FullSessionRecord,
  GatewayOverlayInput,
  GatewaySessionEnd,
  GatewaySessionInput,
  GatewaySessionRecord,
  GatewaySettings,
  GatewaySettingsInput,
  GatewayStatus,
  GroupInput,
  GroupRecord,
  HistoryPage,
  HistoryQuery,
  HistoryRecord,
  ImportBundle,
  ImportPreview,
  ImportSource,
  ImportedMocks,
  ImportedRules,
  KeyInput,
  KeyRecord,
  KnownPage as Known,
  Listed,
  ListedGatewaySessionRecord,
  ListedSessionRecord,
  Match,
  Me,
  MockExport,
  MockImportOptions,
  MockInput,
  MockRecord,
  NewKey,
  OverlayInput,
  OwnedGroupRecord,
  ProxySettings,
  ReadOptions,
  RequestCounts,
  RequestEvent,
  RequestPage,
  RequestQuery,
  RequestRecord,
  RequestSummary,
  RequestTotals,
  ResponseInput,
  CrudRouteInput,
  RouteInput,
  RouteSummary,
  RuleInput,
  RulePatch,
  RuleRecord,
  RulesBatch,
  RulesExportOptions,
  RulesImportOptions,
  ServerVersion,
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
export type {
  ExchangeExpectation,
  ExchangeTotals,
  ExchangeVerification,
  FollowExchangesOptions,
  StagedExchanges,
  StageExchangesInput,
} from './gateway-shapes.ts';
export type {
  CallbackExpectation,
  CallbackPage,
  CallbackQuery,
  CallbackRecord,
  DriftInput,
  DriftReport,
  DriftSummary,
  CheckRecordingOptions,
  RecordingResult as Recorded,
  RecordedExchange,
  RecordOptions,
  ReplayCheck,
  StagedRecording,
  StageRecordingOptions,
  RecordingPage,
  RecordingQuery,
} from './upstream-shapes.ts';
