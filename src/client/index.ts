/**
 * The package's entry: what `import … from 'switchyard'` gives. A client of the API, and a server of one's own for a test suite.
 *
 * The one file of the sources that hands on what others define, since a package has one address.
 */
import type { Detail } from '../errors.ts';
import type { MockDefinition, MockResponse, MockRoute } from '../model/mocks/definition.ts';
import type { StagedDiff } from '../model/mocks/diff.ts';
import type { Page } from '../model/queries.ts';
import { GroupsClient } from './groups-client.ts';
import { HistoryClient } from './history-client.ts';
import { MocksClient } from './mocks-client.ts';
import { RulesClient } from './rules-client.ts';
import type {
  Expectation,
  GroupInput,
  GroupRecord,
  HistoryPage,
  HistoryQuery,
  HistoryRecord,
  MockInput,
  MockRecord,
  OwnedGroupRecord,
  RequestCounts,
  RequestEvent,
  RequestPage,
  RequestQuery,
  RequestRecord,
  ResponseInput,
  RouteInput,
  RuleInput,
  RuleRecord,
  SettingsInput,
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

/** A server that this process started. */
export interface Switchyard extends ServerProcess {
  /** Uses `key`. */
  readonly client: Client;
}

/**
 * A client of the API, over fetch. Every method rejects with a SwitchyardError when the request is refused or has no answer;
 * nothing is retried.
 *
 * @throws TypeError when the target lacks its URL or key.
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
 * Starts a server of this package on free ports of 127.0.0.1 and, unless told otherwise, on a data directory that lives as long.
 *
 * @returns Ready for requests. It ends by `stop`, or when this process ends, however it ends.
 * @throws Error with what the server said when it does not start.
 */
export async function startSwitchyard(options: StartOptions = {}): Promise<Switchyard> {
  const server = await startProcess(options);
  return { ...server, client: createClient(server) };
}

export { SwitchyardError, VerificationError };
export type {
  Detail,
  Expectation,
  GroupInput,
  GroupRecord,
  HistoryPage,
  HistoryQuery,
  HistoryRecord,
  MockDefinition,
  MockInput,
  MockRecord,
  MockResponse,
  MockRoute,
  OwnedGroupRecord,
  Page,
  RequestCounts,
  RequestEvent,
  RequestPage,
  RequestQuery,
  RequestRecord,
  ResponseInput,
  RouteInput,
  RuleInput,
  RuleRecord,
  SettingsInput,
  StagedDiff,
  StagedInput,
  StartOptions,
  Target,
  TryAnswer,
  TryInput,
  Verification,
  VersionRecord,
};
