/**
 * The port of the mock servers.
 *
 * The service has no mocks yet, so every host is an unknown one: 404. What is fixed here is what the control plane counts on:
 * the port is taken exclusively before the service says it is ready, its address is known, and it closes with the service.
 */
import * as uWS from 'uWebSockets.js';
import type { HttpRequest, HttpResponse, us_listen_socket } from 'uWebSockets.js';

export interface DataPlane {
  readonly port: number;
  close(): void;
}

const UNKNOWN_MOCK = JSON.stringify({ success: false, message: 'Mock not found' });

/** @returns undefined when the port is in use or not allowed. */
export function listenForMocks(host: string, port: number): Promise<DataPlane | undefined> {
  return new Promise((resolve) => {
    const app = uWS.App() as uWS.TemplatedApp & {
      listen(host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void): void;
    };
    app.any('/*', answerUnknown);
    app.listen(host, port, EXCLUSIVE_PORT, (socket) => {
      if (!socket) return resolve(undefined);
      return resolve({ port: uWS.us_socket_local_port(socket), close: () => void app.close() });
    });
  });
}

const EXCLUSIVE_PORT = 1;

/** On a later turn and with a close: whatever stands behind the request, malformed or not, is never handled. */
function answerUnknown(res: HttpResponse, req: HttpRequest): void {
  const head = req.getCaseSensitiveMethod() === 'HEAD';
  let aborted = false;
  res.onAborted(() => {
    aborted = true;
  });
  setImmediate(() => {
    if (aborted) return;
    res.cork(() => {
      res.writeStatus('404 Not Found').writeHeader('content-type', 'application/json; charset=utf-8');
      // The length of what GET would send cannot go out with a close: uWebSockets.js writes its own then.
      res.end(head ? undefined : UNKNOWN_MOCK, true);
    });
  });
}
