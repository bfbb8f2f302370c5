/** Options of `serve` for HTTPS of mocks. */
import { isIP } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';
import type { Config } from '../app/config.ts';
import { OperatorError } from '../base/operator-error.ts';
import { hostProblem } from '../app/https.ts';
import { CHOSEN_ID } from '../model/mocks/mock-id.ts';
import { isSet, option } from './environment.ts';
import { httpsNames, nonEmpty, portNumber } from './option-values.ts';

const HTTPS_PORT = 8443;

export function httpsOptions(): readonly Option[] {
  return [
    new Option(
      '--https',
      'also serve mocks with HTTPS, with certificates of the CA of `switchyard ca` (env: SWITCHYARD_HTTPS=1)',
    ),
    option('--https-port <n>', 'port of HTTPS; 0 picks a free one', HTTPS_PORT, portNumber),
    option(
      '--mtls-port <n>',
      'port of HTTPS that asks clients for certificates, by default those of `switchyard ca client`; 0 picks a free one, implies --https',
      undefined,
      portNumber,
    ),
    option('--mtls-ca <file>', 'PEM of further authorities of client certificates', undefined, nonEmpty),
    option('--https-name <names>', 'further names and addresses of this server, separated by commas', [], httpsNames),
    option('--attach <host=mock>', 'host name that means this mock at the ports of mocks; repeatable', undefined)
      .argParser((text: string, before: readonly Attached[]) => [...before, attached(text)])
      .default([], 'none'),
  ];
}

/** @throws OperatorError for options that contradict each other. */
export function httpsConfig({ httpsPort, httpsName: names, ...given }: Record<string, unknown>): Config['https'] {
  const [port, mtlsPort] = [httpsPort as number, given.mtlsPort as number | undefined];
  const mtlsCa = given.mtlsCa as string | undefined;
  if (mtlsPort === undefined && mtlsCa !== undefined) throw new OperatorError('--mtls-ca needs --mtls-port');
  if (given.https !== true && mtlsPort === undefined && !isSet('HTTPS')) {
    if (port !== HTTPS_PORT) throw new OperatorError('--https-port needs --https');
    if ((names as string[]).length > 0) throw new OperatorError('--https-name needs --https');
    return undefined;
  }
  if (given.tlsCert !== undefined)
    throw new OperatorError('--https and --tls-cert are both given: the second switches both ports to HTTPS already');
  const others = [given.port, given.mockPort, given.gatewayPort];
  for (const [name, own] of [
    ['--https-port', port],
    ['--mtls-port', mtlsPort],
  ] as const) {
    if (own !== undefined && own !== 0 && others.includes(own))
      throw new OperatorError(`${name} is ${own}, as another port: choose another, or 0 for a free one`);
    others.push(own);
  }
  return { port, names: names as string[], mtls: mtlsPort === undefined ? undefined : { port: mtlsPort, ca: mtlsCa } };
}

type Attached = readonly [host: string, mockId: string];

function attached(text: string): Attached {
  const [, host = '', mockId = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  if (!CHOSEN_ID.test(mockId) || isIP(host) !== 0 || hostProblem(host.toLowerCase()) !== undefined)
    throw new InvalidArgumentError('Expected a host name and the id of a mock, such as api.example.com=orders.');
  return [host.toLowerCase(), mockId];
}

/** @throws OperatorError for a host that means something else already. */
export function attachedHosts(given: readonly Attached[], mockDomain: string): Config['attached'] {
  for (const [index, [host]] of given.entries()) {
    if (given.findIndex(([each]) => each === host) < index)
      throw new OperatorError(`--attach is given twice for ${host}: a host means one mock`);
    if (host === 'localhost')
      throw new OperatorError('--attach localhost: paths at this name, such as /__mock/<mock_id>/, mean all mocks');
    if (host === mockDomain || host.endsWith(`.${mockDomain}`))
      throw new OperatorError(`--attach ${host}: names below the mock domain ${mockDomain} mean mocks already`);
  }
  return new Map(given);
}
