/**
 * The entry of the package, for `import … from 'switchyard'`: a client of the API, and a server for a test suite.
 *
 * The only file that re-exports what others define, since a package has one entry.
 */
import type { Detail } from '../errors.ts';
import type { Report as InterchangeReport } from '../interchange/report.ts';
import type { MockDefinition, MockResponse, MockRoute } from '../model/mocks/definition.ts';
import type { StagedDiff } from '../model/mocks/diff.ts';
import type { DefinitionWarning } from '../model/mocks/warnings.ts';
import type { Page } from '../model/queries.ts';
import { GroupsClient } from './groups-client.ts';
import { HistoryClient } from './history-client.ts';
import { MocksClient } from './mocks-client.ts';
import { RulesClient } from './rules-client.ts';
import type {
  ChangeEvent,
  ChangeRecord,
  EvaluateInput,
  Evaluation,
  Expectation,
  ExportOptions,
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
  MockExport,
  MockImportOptions,
  MockInput,
  MockRecord,
  OwnedGroupRecord,
  ReadOptions,
  RequestCounts,
  RequestEvent,
  RequestPage,
  RequestQuery,
  RequestRecord,
  ResponseInput,
  RouteInput,
  RuleInput,
  RuleRecord,
  RulesExportOptions,
  RulesImportOptions,
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
import { Transport, type Target } from './transport.ts';
import { VerificationError } from './verification-error.ts';

export interface Client {
  readonly mocks: MocksClient;
  readonly rules: RulesClient;
  readonly groups: GroupsClient;
  readonly history: HistoryClient;
}

/** A server started by this process. */
export interface Switchyard extends ServerProcess {
  /** Authenticates with `key`. */
  readonly client: Client;
}

/**
 * A client of the API that uses fetch. Every method rejects with a SwitchyardError when the request is refused or gets
 * no response. Nothing is retried.
 *
 * @throws TypeError when the URL or key of the target is missing.
 */
export function createClient(target: Target): Client {
  if (target === undefined) throw new TypeError('createClient needs {apiUrl, key}');
  const transport = new Transport(target);
  return {
    mocks: new MocksClient(transport),
    rules: new RulesClient(transport),
    groups: new GroupsClient(transport),
    history: new HistoryClient(transport),
  };
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

export { SwitchyardError, VerificationError };
export type {
  ChangeEvent,
  ChangeRecord,
  DefinitionWarning,
  Detail,
  EvaluateInput,
  Evaluation,
  Expectation,
  ExportOptions,
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
  MockDefinition,
  MockExport,
  MockImportOptions,
  MockInput,
  MockRecord,
  MockResponse,
  MockRoute,
  OwnedGroupRecord,
  Page,
  ReadOptions,
  RequestCounts,
  RequestEvent,
  RequestPage,
  RequestQuery,
  RequestRecord,
  ResponseInput,
  RouteInput,
  RuleInput,
  RuleRecord,
  RulesExportOptions,
  RulesImportOptions,
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
