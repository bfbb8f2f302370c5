/** A port that cannot be listened on. app/explain-port.ts finds out why. */
import { OperatorError } from './operator-error.ts';

const PARTS = {
  '--port': '',
  '--mock-port': ' (mocks)',
  '--https-port': ' (mocks, HTTPS)',
  '--mtls-port': ' (mocks, client certificates)',
  '--gateway-port': ' (gateway)',
  '--wiremock': ' (WireMock)',
  '--internal-listen': ' (nodes)',
};

export class PortError extends OperatorError {
  readonly host: string;
  readonly port: number;
  /** The option that sets the port. */
  readonly option: keyof typeof PARTS;

  constructor(host: string, port: number, option: PortError['option']) {
    super(`cannot listen on ${host.includes(':') ? `[${host}]` : host}:${port}${PARTS[option]}`);
    this.host = host;
    this.port = port;
    this.option = option;
  }
}
