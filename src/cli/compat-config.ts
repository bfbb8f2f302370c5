/** What the options of `serve` say of the interfaces of other products. */
import { InvalidArgumentError } from 'commander';
import type { Config, PortRange } from '../app/config.ts';
import { OperatorError } from '../base/operator-error.ts';
import { CHOSEN_ID, CHOSEN_ID_FORM } from '../model/mocks/mock-id.ts';
import { portNumber } from './option-values.ts';

const MOCK = 'wiremock';

/** The value of `--wiremock`: a port, or a port and the id of a mock. */
export function wiremockPort(text: string): NonNullable<Config['wiremock']> {
  const [, port = text, mockId = MOCK] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (!CHOSEN_ID.test(mockId)) throw new InvalidArgumentError(`Expected after the ":" ${CHOSEN_ID_FORM}.`);
  return { port: portNumber(port), mockId };
}

/** The value of `--imposter-ports`: a port, or the first and the last of several. */
export function portRange(text: string): PortRange {
  const [, from = '', to = from] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  const [first, last] = [portNumber(from), portNumber(to)];
  if (first === 0 || first > last) throw new InvalidArgumentError('Expected ports such as 4500-4699.');
  return { first, last };
}

/** @throws OperatorError for a port that another part has, and for imposters of one of several nodes. */
export function compatPorts(given: Record<string, unknown>): Pick<Config, 'wiremock' | 'mountebank' | 'imposterPorts'> {
  const { wiremock, mountebank, imposterPorts } = given as Pick<Config, 'wiremock' | 'mountebank' | 'imposterPorts'>;
  const others = [given.port, given.mockPort, given.gatewayPort];
  const own = [...others, wiremock?.port, mountebank].filter((port): port is number => Boolean(port));
  for (const [option, port] of [
    ['--wiremock', wiremock?.port],
    ['--mountebank', mountebank],
  ] as const) {
    if (own.filter((each) => each === port).length > 1)
      throw new OperatorError(`${option} is ${port}, as another port: choose another, or 0 for a free one`);
  }
  const inRange = own.find((port) => imposterPorts && imposterPorts.first <= port && port <= imposterPorts.last);
  if (inRange !== undefined)
    throw new OperatorError(`--imposter-ports has ${inRange}, which another part of this server has`);
  if (imposterPorts !== undefined && given.nodeId !== undefined)
    throw new OperatorError(
      '--imposter-ports is for a server alone: with --node-id, imposters are called at their url',
    );
  return { wiremock, mountebank, imposterPorts };
}
