/**
 * What two builds are compared in: the hot paths of mock servers and of the API, in requests to a service that was just started.
 *
 * Everything goes through the command line and HTTP, which two commits share where they do not share a module.
 */
import { clientOf } from '../contenders/switchyard.ts';
import type { Load, VariedRequest } from '../load/load.ts';
import type { Scenario } from '../mocks/scenario.ts';
import { FULL_SIZES, scenarios } from '../mocks/scenarios.ts';
import { cliOf, mockHost, runCommand, startService, temporaryDirectory } from '../processes.ts';
import type { Server, Service } from '../processes.ts';
import { rulePayload } from '../rules.ts';
import { sampleReply } from '../sample-reply.ts';

/** Those of `npm run bench` that both builds serve from one mock. */
const MOCK_NAMES = ['static', 'parameter', 'body', 'template', 'miss'] as const;
const MOCKED = scenarios(FULL_SIZES).filter(({ name }) => (MOCK_NAMES as readonly string[]).includes(name));
const [MANY] = scenarios(FULL_SIZES).filter(({ name }) => name === 'many-mocks') as [Scenario];

/** In this order: the last two leave a service with more in it than the others meet. */
export const SCENARIOS = [...MOCK_NAMES, 'get-rule', 'list-rules', 'post-rule', 'many-mocks'] as const;

export type ScenarioName = (typeof SCENARIOS)[number];

/** A load, and which of the service's processes it is for. */
export interface Asked {
  readonly to: Server;
  readonly request: Pick<Load, 'method' | 'path' | 'headers' | 'body' | 'status' | 'requests'>;
}

/** A service of one of the builds. */
export interface Subject {
  readonly service: Service;
  readonly key: string;
  readonly mockId: string;
  readonly ruleId: string;
}

const OWNER = 'bench';
const PAGE_RULES = 30;

/** @param directory Of the build. @returns Its service, on fresh data, with a mock and a page of rules. */
export async function startSubject(directory: string): Promise<Subject> {
  const data = temporaryDirectory();
  const options = ['--workers', '1', '--rules-max', '1000000', '--mocks-max', '100000'];
  const service = await startService(data, options, directory);
  const owner = ['--data', data, '--owner', OWNER, '--user', OWNER, '--role', 'editor'];
  const key = await runCommand(process.execPath, [cliOf(directory), 'keys', 'create', ...owner]);
  // The routes of a miss are those of `static`.
  const routes = MOCKED.flatMap((scenario) => (scenario.name === 'miss' ? [] : scenario.routes));
  const { id: mockId } = await clientOf(service, key).mocks.create({ name: 'compared', routes, start: true });
  const ruleIds: string[] = [];
  while (ruleIds.length < PAGE_RULES) {
    const { body } = await sampleReply(service.port, creation(key, ruleIds.length));
    ruleIds.push((JSON.parse(body) as { data: { id: string } }).data.id);
  }
  return { service, key, mockId, ruleId: ruleIds[0] as string };
}

/** Makes what the scenario needs beyond what every subject has. @param mockCount How many mocks `many-mocks` has. */
export async function ask(subject: Subject, name: ScenarioName, mockCount: number): Promise<Asked> {
  const { service, key, mockId, ruleId } = subject;
  const read = (path: string): Asked => ({
    to: service,
    request: { method: 'GET', path, headers: { 'x-api-key': key } },
  });
  if (name === 'get-rule') return read(`/v1/rules/${ruleId}`);
  if (name === 'list-rules') return read(`/v1/rules?pageSize=${PAGE_RULES}`);
  if (name === 'post-rule') return { to: service, request: creation(key, 1) };
  if (name === 'many-mocks') return askMany(subject, mockCount);
  const { request, answer } = MOCKED.find((scenario) => scenario.name === name) as Scenario;
  const headers = { ...request.headers, host: mockHost(mockId, service) };
  return { to: service.mocks, request: { ...request, headers, status: answer.status } };
}

/** Spread over mocks, each connection asking its own share in turn: none is asked again before all of the share were. */
async function askMany({ service, key }: Subject, mockCount: number): Promise<Asked> {
  const client = clientOf(service, key);
  const requests: VariedRequest[] = [];
  while (requests.length < mockCount) {
    const { id } = await client.mocks.create({ name: `many ${requests.length}`, routes: MANY.routes, start: true });
    requests.push({ path: MANY.request.path, headers: { host: mockHost(id, service) } });
  }
  return { to: service.mocks, request: { method: 'GET', ...(requests[0] as VariedRequest), requests } };
}

function creation(key: string, index: number) {
  return {
    method: 'POST',
    path: '/v1/rules',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(rulePayload(index)),
  } as const;
}
