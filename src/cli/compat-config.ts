/** Reads the options of `serve` for WireMock's interface. */
import { InvalidArgumentError, Option } from 'commander';
import type { Config } from '../app/config.ts';
import { OperatorError } from '../base/operator-error.ts';
import { CHOSEN_ID, CHOSEN_ID_FORM } from '../model/mocks/mock-id.ts';
import { isSet, option } from './environment.ts';
import { portNumber } from './option-values.ts';

const MOCK = 'wiremock';

export function compatOptions(): Option[] {
  return [
    new Option(
      '--compat-lenient',
      'accept WireMock stubs that a mock can only approximate (env: SWITCHYARD_COMPAT_LENIENT=1)',
    ),
    new Option(
      '--compat-open',
      "serve WireMock's admin API without a key, as the owner of --mock-owner; loopback addresses only (env: SWITCHYARD_COMPAT_OPEN=1)",
    ),
    option(
      '--wiremock <port>',
      'port for WireMock clients: /__admin is its admin API, other paths go to the mock "wiremock", or to MOCK with PORT:MOCK, which is created if missing; 0 picks a free port',
      undefined,
      wiremockPort,
    ),
  ];
}

type CompatConfig = Pick<Config, 'compatLenient' | 'compatOpen' | 'wiremock'>;

/** The value of `--wiremock`: a port, or a port and the id of a mock. */
function wiremockPort(text: string): NonNullable<Config['wiremock']> {
  const [, port = text, mockId = MOCK] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (!CHOSEN_ID.test(mockId)) throw new InvalidArgumentError(`Expected after the ":" ${CHOSEN_ID_FORM}.`);
  return { port: portNumber(port), mockId };
}

/** @throws OperatorError for a port that another part has. */
export function compatConfig(given: Record<string, unknown>): CompatConfig {
  const { wiremock, compatLenient, compatOpen } = given as unknown as CompatConfig;
  const port = wiremock?.port;
  if (port && [given.port, given.mockPort, given.gatewayPort].includes(port))
    throw new OperatorError(`--wiremock is ${port}, as another port: choose another, or 0 for a free one`);
  return {
    compatLenient: compatLenient || isSet('COMPAT_LENIENT'),
    compatOpen: compatOpen || isSet('COMPAT_OPEN'),
    wiremock,
  };
}
