/** `switchyard serve`: starts the service, announces it and ends the process on a signal, or when the store fails. */
import { resolve } from 'node:path';
import { mockUrl, type Config } from '../app/config.ts';
import { startService, type Service } from '../app/start-service.ts';
import { CommitHangError } from '../store/store.ts';
import { say } from './print.ts';

const STOP_AFTER_FAILURE_MS = 2_000;

export async function serve(config: Config): Promise<void> {
  const service = await startService(config);
  // An exit waits for its threads, and one of them may wait for the disk; SIGKILL waits for nothing.
  const kill = (): void => void process.kill(process.pid, 'SIGKILL');
  let end = (status: number): void => process.exit(status);
  const stop = async (): Promise<void> => {
    const allWritten = await service.stop();
    end(allWritten ? 0 : 1);
  };
  let signals = 0;
  const onSignal = (): void => {
    signals++;
    // A second signal means: do not wait for requests in flight.
    if (signals === 1) void stop();
    else if (service.isWriting) void service.flushLog().then(kill);
    else end(1);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // Last: a script that waits for the line may send a signal at once.
  announce(config, service);

  const failure = await service.failed;
  // Every promise that is rejected from now on is a consequence of it.
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', () => undefined);
  if (failure instanceof CommitHangError) end = kill;
  // Waiting requests have been answered; the next start recovers what is on the disk. The close of lmdb-js may hang
  // after an I/O error.
  setTimeout(() => end(1), STOP_AFTER_FAILURE_MS);
  await stop();
}

/** Plain lines for a person and for scripts that wait for them. Log lines are JSON. */
function announce({ host, mockUrlTemplate, data, tlsCert }: Config, { apiPort, mockPort, firstKey }: Service): void {
  const address = host.includes(':') ? `[${host}]` : host;
  const scheme = tlsCert === undefined ? 'http' : 'https';
  const origin = `${scheme}://${address}:${apiPort}`;
  const api = `${origin}/v1`;
  if (firstKey !== undefined) {
    say(`First start: created the owner "local" and its API key, which is shown only now:

  ${firstKey}

Create a rule with it:

  curl -X POST ${api}/rules -H 'x-api-key: ${firstKey}' -H 'content-type: application/json' \\
    -d '{"name":"To staging","ruleType":"Redirect","pairs":[{"source":{"key":"Url","operator":"Contains","value":"api.example.com"},"destinationType":"url","destination":"https://staging.example.com"}]}'
`);
  }
  const mocks = mockUrl(mockUrlTemplate, '<mock_id>', mockPort);
  // Behind a proxy the address of a mock does not show the mock port: scripts read it at the end of the line.
  const at = mocks.endsWith(`:${mockPort}`) ? '' : ` at ${address}:${mockPort}`;
  say(`Switchyard is ready: API ${api} (docs at ${origin}/docs), data ${resolve(data)}, mocks ${mocks}${at}`);
}
