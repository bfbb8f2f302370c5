/** A port that cannot be listened on. app/explain-port.ts finds out why. */
import { OperatorError } from './operator-error.ts';

export class PortError extends OperatorError {
  readonly host: string;
  readonly port: number;
  /** The option that sets the port. */
  readonly option: '--port' | '--mock-port';

  constructor(host: string, port: number, option: PortError['option']) {
    super(
      `cannot listen on ${host.includes(':') ? `[${host}]` : host}:${port}${option === '--port' ? '' : ' (mocks)'}`,
    );
    this.host = host;
    this.port = port;
    this.option = option;
  }
}
