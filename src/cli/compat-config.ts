/** What the options of `serve` say of the interfaces of other products. */
import { InvalidArgumentError } from 'commander';
import type { Config } from '../app/config.ts';
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

/** @throws OperatorError for a port that another part has. */
export function checkedWiremock(given: Record<string, unknown>): Config['wiremock'] {
  const wiremock = given.wiremock as Config['wiremock'];
  const others = [given.port, given.mockPort, given.gatewayPort];
  if (wiremock !== undefined && wiremock.port !== 0 && others.includes(wiremock.port)) {
    throw new OperatorError(`--wiremock is ${wiremock.port}, as another port: choose another, or 0 for a free one`);
  }
  return wiremock;
}
