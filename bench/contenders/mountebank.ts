/** mountebank: one imposter, whose requests it does not record, and which keeps connections open as the others do. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Response, Route, Rule, Scenario } from '../mocks/scenario.ts';
import { startProgram, temporaryDirectory } from '../processes.ts';
import type { Contender } from './contender.ts';
import { missingPeer, peerFolder, peerVersion } from './installed.ts';
import { freePort, listening } from './ports.ts';

const PACKAGE = 'mountebank';

export const mountebank: Contender = {
  name: 'mountebank',
  missing: () => missingPeer(PACKAGE),
  version: async () => peerVersion(PACKAGE),
  cannot: ({ mockCount }) => (mockCount > 1 ? 'one mock per port' : undefined),
  async start(scenario) {
    const directory = temporaryDirectory();
    const [port, adminPort] = [await freePort(), await freePort()];
    const file = join(directory, 'imposters.json');
    writeFileSync(file, JSON.stringify({ imposters: [imposter(scenario, port)] }));
    const bin = join(peerFolder(PACKAGE) as string, 'bin/mb');
    const options = ['--configfile', file, '--noParse', '--port', `${adminPort}`, '--host', '127.0.0.1', '--localOnly'];
    const quiet = ['--nologfile', '--loglevel', 'error', '--pidfile', join(directory, 'mb.pid')];
    const args = [bin, 'start', ...options, ...quiet];
    return listening(startProgram(process.execPath, args, { cwd: directory }), port);
  },
};

function imposter({ routes, request, answer }: Scenario, port: number): object {
  const connection = request.reconnect === true ? 'close' : 'keep-alive';
  return {
    port,
    protocol: 'http',
    host: '127.0.0.1',
    recordRequests: false,
    defaultResponse: { statusCode: answer.status, headers: { connection } },
    stubs: routes.flatMap((route) => route.responses.map((response) => stub(route, response, connection))),
  };
}

function stub(
  { method, path }: Route,
  { headers, body, rules = [], templated = false }: Response,
  connection: string,
): object {
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const onPath =
    parameters.length === 0
      ? { equals: { method, path } }
      : { and: [{ equals: { method } }, { matches: { path: `^${path.replaceAll(/:\w+/g, '[^/]+')}$` } }] };
  return {
    predicates: [onPath, ...rules.map(predicate)],
    responses: [
      {
        is: {
          statusCode: 200,
          headers: { ...Object.fromEntries(headers.map(({ name, value }) => [name, value])), connection },
          body: templated ? withTokens(body) : body,
        },
        ...(templated ? { behaviors: [...body.matchAll(HELPERS)].map(copy) } : {}),
      },
    ],
  };
}

function predicate({ target, property, operator, value }: Rule): object {
  if (target === 'body') {
    const selector = property.startsWith('$') ? property : `$.${property}`;
    return { equals: { body: value }, jsonpath: { selector } };
  }
  const field = { [target === 'header' ? 'headers' : 'query']: { [property]: value } };
  return operator === 'regex' ? { matches: field } : { equals: field };
}

const HELPERS = /\{\{(urlParam|queryParam) '(\w+)'\}\}/g;

function withTokens(body: string): string {
  return body.replaceAll(HELPERS, (_, _helper, name: string) => `\${${name}}`);
}

/** The one parameter of a path that a template uses is its last segment. */
function copy([, helper, name]: RegExpExecArray): object {
  const using = { method: 'regex', selector: helper === 'urlParam' ? '[^/]+$' : '.+' };
  return { copy: { from: helper === 'urlParam' ? 'path' : { query: name }, into: `\${${name}}`, using } };
}
