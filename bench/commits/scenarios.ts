/**
 * What two builds are compared in: the hot paths of mock servers and of the API, asked of a service that was just started.
 *
 * Everything goes through the command line and HTTP, which two commits share where they do not share a module.
 */
import type { Load } from '../load-generator.ts';
import { mixedRoutes, ORDER_BODY, ORDER_PATH, STATIC_PATH } from './mock-definitions.ts';
import { mockHost, MocksClient } from '../mocks-client.ts';
import { cliOf, runCommand, startService, temporaryDirectory, type Server, type Service } from '../processes.ts';
import { rulePayload } from '../rules.ts';
import { sampleReply } from '../sample-reply.ts';

export const SCENARIOS = ['static', 'parameter', 'body-rule', 'template', 'get-rule', 'post-rule'] as const;

export type Scenario = (typeof SCENARIOS)[number];

export type Request = Pick<Load, 'method' | 'path' | 'headers' | 'body'>;

/** A build at work. */
export interface Subject {
  readonly service: Service;
  readonly key: string;
  readonly mockId: string;
  readonly ruleId: string;
}

const OWNER = 'bench';

/** @param directory Of the build. @returns Its service, on fresh data, with a mock and a rule. */
export async function startSubject(directory: string): Promise<Subject> {
  const data = temporaryDirectory();
  const options = ['--data', data, '--owner', OWNER, '--user', OWNER, '--role', 'editor'];
  const key = await runCommand(process.execPath, [cliOf(directory), 'keys', 'create', ...options]);
  const service = await startService(data, ['--workers', '1', '--rules-max', '1000000'], directory);
  const client = new MocksClient(service, key);
  const mockId = await client.create('compared', mixedRoutes());
  client.close();
  const { body } = await sampleReply(service.port, creation(key, 0));
  const { data: rule } = JSON.parse(body) as { data: { id: string } };
  return { service, key, mockId, ruleId: rule.id };
}

/** What is asked, and of which of the service's processes. */
export function ask({ service, key, mockId, ruleId }: Subject, scenario: Scenario): { to: Server; request: Request } {
  const host = { host: mockHost(mockId, service.mocks.port) };
  const mocked = (path: string): { to: Server; request: Request } => ({
    to: service.mocks,
    request: { method: 'GET', path, headers: host },
  });
  switch (scenario) {
    case 'static':
      return mocked(STATIC_PATH);
    case 'parameter':
      return mocked('/users/42');
    case 'template':
      return mocked('/greetings/42?page=7');
    case 'body-rule':
      return { to: service.mocks, request: { method: 'POST', path: ORDER_PATH, headers: host, body: ORDER_BODY } };
    case 'get-rule':
      return { to: service, request: { method: 'GET', path: `/v1/rules/${ruleId}`, headers: { 'x-api-key': key } } };
    case 'post-rule':
      return { to: service, request: creation(key, 1) };
  }
}

function creation(key: string, index: number): Request {
  return {
    method: 'POST',
    path: '/v1/rules',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(rulePayload(index)),
  };
}
