/**
 * WireMock, whose jar comes inside the npm package of its name. No journal of requests, no log of them, no compression, and as many
 * threads as it starts by itself: Jetty takes six before the first that serves.
 *
 * Of stubs that match it takes the one that was added last: they are added from the last to the first, so that what is asked
 * for is what it checks last, as with the others.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, missingPeer, peerFolder, peerVersion } from '../installed.ts';
import type { Response, Route, Rule, Scenario } from '../mocks/scenario.ts';
import { startProgram, temporaryDirectory } from '../processes.ts';
import type { Contender } from './contender.ts';
import { freePort, listening } from './ports.ts';

const PACKAGE = 'wiremock';
const QUIET = ['--no-request-journal', '--disable-request-logging', '--disable-banner', '--disable-gzip'];
/** The heap is never the limit; threads that compile stay, so that what they took is not lost with them. */
const JAVA_OPTIONS = ['-Xmx1g', '-XX:-UseDynamicNumberOfCompilerThreads'];

export const wiremock: Contender = {
  name: 'wiremock',
  missing: () => missingPeer(PACKAGE) ?? (findProgram('java') === undefined ? 'it needs java' : undefined),
  version: async () => `${peerVersion(PACKAGE)} on ${javaVersion()}`,
  cannot: ({ mockCount }) => (mockCount > 1 ? 'one mock per port' : undefined),
  async start(scenario) {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'mappings'));
    writeFileSync(join(directory, 'mappings/all.json'), JSON.stringify({ mappings: mappings(scenario) }));
    const port = await freePort();
    const address = ['--bind-address', '127.0.0.1', '--port', `${port}`, '--root-dir', directory];
    const args = [...JAVA_OPTIONS, '-jar', jar(), ...address, ...QUIET];
    return listening(startProgram(findProgram('java') as string, args, { cwd: directory }), port);
  },
};

function jar(): string {
  const folder = join(peerFolder(PACKAGE), 'build');
  const name = readdirSync(folder).find((file) => file.endsWith('.jar'));
  if (name === undefined) throw new Error(`no jar in ${folder}`);
  return join(folder, name);
}

function javaVersion(): string {
  return execFileSync(findProgram('java') as string, ['--version'], { encoding: 'utf8' }).split('\n')[0] as string;
}

function mappings({ routes }: Scenario): object[] {
  return routes.flatMap((route) => route.responses.map((response) => mapping(route, response))).toReversed();
}

function mapping({ method, path }: Route, { headers, body, rules = [], templated = false }: Response): object {
  const url = path.includes(':') ? { urlPathTemplate: path.replaceAll(/:(\w+)/g, '{$1}') } : { urlPath: path };
  return {
    request: { method, ...url, ...Object.assign({}, ...rules.map(matcher)) },
    response: {
      status: 200,
      headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      body: templated ? withExpressions(body) : body,
      ...(templated ? { transformers: ['response-template'] } : {}),
    },
  };
}

function matcher({ target, property, operator, value }: Rule): object {
  const pattern = operator === 'regex' ? { matches: value } : { equalTo: value };
  if (target === 'query') return { queryParameters: { [property]: pattern } };
  if (target === 'header') return { headers: { [property]: pattern } };
  const expression = property.startsWith('$') ? property : `$.${property}`;
  return { bodyPatterns: [{ matchesJsonPath: { expression, ...pattern } }] };
}

function withExpressions(body: string): string {
  return body
    .replaceAll(/\{\{urlParam '(\w+)'\}\}/g, '{{request.path.$1}}')
    .replaceAll(/\{\{queryParam '(\w+)'\}\}/g, '{{request.query.$1}}');
}
