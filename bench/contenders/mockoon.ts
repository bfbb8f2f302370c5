/** Mockoon's command line, whose routes and rules are much like ours. Admin API off, transactions not kept, no log file. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingPeer, peerFolder, peerVersion } from '../installed.ts';
import type { Response, Route, Scenario } from '../mocks/scenario.ts';
import { startProgram, temporaryDirectory } from '../processes.ts';
import type { Contender } from './contender.ts';
import { freePort, listening } from './ports.ts';

const PACKAGE = '@mockoon/cli';

export const mockoon: Contender = {
  name: 'mockoon',
  missing: () => missingPeer(PACKAGE),
  version: async () => peerVersion(PACKAGE),
  cannot: ({ mockCount }) => (mockCount > 1 ? 'one mock per port' : undefined),
  async start(scenario) {
    const directory = temporaryDirectory();
    const port = await freePort();
    const data = join(directory, 'environment.json');
    writeFileSync(data, JSON.stringify(environment(scenario, port)));
    const quiet = ['--disable-log-to-file', '--disable-admin-api', '--max-transaction-logs', '1'];
    const args = [join(peerFolder(PACKAGE), 'bin/run.js'), 'start', '--data', data, '--repair', ...quiet];
    return listening(startProgram(process.execPath, args, { cwd: directory }), port);
  },
};

function environment({ routes }: Scenario, port: number): object {
  const translated = routes.map(translate);
  return {
    uuid: randomUUID(),
    lastMigration: 33,
    name: 'bench',
    port,
    hostname: '127.0.0.1',
    endpointPrefix: '',
    latency: 0,
    folders: [],
    routes: translated,
    rootChildren: translated.map(({ uuid }) => ({ type: 'route', uuid })),
    cors: true,
    headers: [],
    data: [],
    callbacks: [],
  };
}

function translate({ method, path, responses }: Route) {
  return {
    uuid: randomUUID(),
    type: 'http',
    method: method.toLowerCase(),
    endpoint: path.slice(1),
    responses: responses.map(response),
    responseMode: null,
  };
}

function response(
  { headers, body, rules = [], templated = false, default: isDefault = false }: Response,
  index: number,
): object {
  return {
    uuid: randomUUID(),
    statusCode: 200,
    latency: 0,
    headers: headers.map(({ name, value }) => ({ key: name, value })),
    bodyType: 'INLINE',
    body,
    disableTemplating: !templated,
    rules: rules.map(({ property, ...rule }) => ({ ...rule, modifier: property, invert: false })),
    rulesOperator: 'AND',
    default: isDefault || (rules.length === 0 && index === 0),
  };
}
