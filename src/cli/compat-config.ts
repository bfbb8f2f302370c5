/** What the options of `serve` say of the interfaces of other products. */
import { InvalidArgumentError, Option } from 'commander';
import type { Config, PortRange } from '../app/config.ts';
import { OperatorError } from '../base/operator-error.ts';
import { CHOSEN_ID, CHOSEN_ID_FORM } from '../model/mocks/mock-id.ts';
import { isSet, option } from './environment.ts';
import { portNumber } from './option-values.ts';

const MOCK = 'wiremock';

export function compatOptions(): Option[] {
  return [
    new Option(
      '--compat-lenient',
      'take stubs by the interfaces of WireMock and mountebank that answer approximately as written (env: SWITCHYARD_COMPAT_LENIENT=1)',
    ),
    new Option(
      '--compat-open',
      'answer the interfaces of WireMock and mountebank without a key, for the owner of --mock-owner; on a loopback address alone (env: SWITCHYARD_COMPAT_OPEN=1)',
    ),
    option(
      '--wiremock <port>',
      'one address for clients of WireMock: /__admin is its interface, all else the mock "wiremock", or that of PORT:MOCK, which is made if missing; 0 picks a free port',
      undefined,
      wiremockPort,
    ),
    option(
      '--mountebank <port>',
      'mountebank\'s interface at a port of its own, for the space "main"; 0 picks a free port',
      undefined,
      portNumber,
    ),
    option(
      '--imposter-ports <first-last>',
      'imposters of the space "main" have real ports, which are among these',
      undefined,
      portRange,
    ),
  ];
}

type CompatConfig = Pick<Config, 'compatLenient' | 'compatOpen' | 'wiremock' | 'mountebank' | 'imposterPorts'>;

/** The value of `--wiremock`: a port, or a port and the id of a mock. */
function wiremockPort(text: string): NonNullable<Config['wiremock']> {
  const [, port = text, mockId = MOCK] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (!CHOSEN_ID.test(mockId)) throw new InvalidArgumentError(`Expected after the ":" ${CHOSEN_ID_FORM}.`);
  return { port: portNumber(port), mockId };
}

/** The value of `--imposter-ports`: a port, or the first and the last of several. */
function portRange(text: string): PortRange {
  const [, from = '', to = from] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  const [first, last] = [portNumber(from), portNumber(to)];
  if (first === 0 || first > last) throw new InvalidArgumentError('Expected ports such as 4500-4699.');
  return { first, last };
}

/** @throws OperatorError for a port that another part has, and for imposters of one of several nodes. */
export function compatConfig(given: Record<string, unknown>): CompatConfig {
  const { wiremock, mountebank, imposterPorts, compatLenient, compatOpen } = given as unknown as CompatConfig;
  const others = [given.port, given.mockPort, given.gatewayPort];
  const own = [...others, wiremock?.port, mountebank].filter((port): port is number => Boolean(port));
  for (const [name, port] of [
    ['--wiremock', wiremock?.port],
    ['--mountebank', mountebank],
  ] as const) {
    if (own.filter((each) => each === port).length > 1)
      throw new OperatorError(`${name} is ${port}, as another port: choose another, or 0 for a free one`);
  }
  const inRange = own.find((port) => imposterPorts && imposterPorts.first <= port && port <= imposterPorts.last);
  if (inRange !== undefined)
    throw new OperatorError(`--imposter-ports has ${inRange}, which another part of this server has`);
  if (imposterPorts !== undefined && given.nodeId !== undefined)
    throw new OperatorError(
      '--imposter-ports is for a server alone: with --node-id, imposters are called at their url',
    );
  return {
    compatLenient: compatLenient || isSet('COMPAT_LENIENT'),
    compatOpen: compatOpen || isSet('COMPAT_OPEN'),
    wiremock,
    mountebank,
    imposterPorts,
  };
}
