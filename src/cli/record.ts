/**
 * `switchyard record`: a server of its own stands in front of a real service until it is stopped; then what was recorded is checked and written
 * as a file; docs/guide-recording.md.
 */
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { createClient, SwitchyardError, type Client, type ReplayCheck, type StagedRecording } from '../client/index.ts';
import type { MockExportName } from '../interchange/mock-formats.ts';
import { OperatorError } from '../base/operator-error.ts';
import { exportMock } from './export-mock.ts';
import { startOwnServer } from './own-server.ts';
import { printable, say } from './print.ts';
import { countLines, entryLines } from './report-lines.ts';

export interface RecordCommandOptions {
  readonly output: string;
  readonly format?: MockExportName;
  readonly mockPort: number;
  readonly paths: 'auto' | 'ids' | 'exact';
  readonly latency?: boolean;
  readonly rewriteUrls?: boolean;
  readonly distinguishBy?: readonly string[];
  readonly redact?: readonly string[];
  /** Milliseconds; until a signal without it. */
  readonly duration?: number;
}

/** Part of the address of the mock. */
const MOCK_ID = 'recorded';

/** @returns Whether the mock answers everything as it was recorded. @throws OperatorError when nothing can be written. */
export async function record(upstream: string, options: RecordCommandOptions): Promise<boolean> {
  assertFolder(options.output);
  // Noticed from here on: a signal during the start ends the recording at once.
  const stopped = untilStopped(options.duration);
  const server = await startOwnServer(
    { args: ['--mock-port', String(options.mockPort), '--egress-allow', placeOf(upstream)] },
    { isDetached: true },
  );
  try {
    return await recordBy(createClient(server), upstream, options, stopped);
  } catch (error) {
    if (!(error instanceof SwitchyardError)) throw error;
    throw new OperatorError(error.message);
  } finally {
    await server.stop();
  }
}

async function recordBy(
  client: Client,
  upstream: string,
  {
    output,
    format,
    paths,
    latency = false,
    rewriteUrls = false,
    redact = [],
    distinguishBy = [],
  }: RecordCommandOptions,
  stopped: Promise<void>,
): Promise<boolean> {
  const names = redact.length === 0 ? {} : { redact: { headers: redact, members: redact } };
  const proxy = { upstream, when: 'always', record: true, ...names } as const;
  const name = new URL(upstream).host;
  const mock = await client.mocks.create({ id: MOCK_ID, name, start: true, settings: { proxy }, routes: [] });
  say(`Recording ${upstream}. Send requests to ${mock.url} or ${client.mocks.urlFor(mock)}`);
  say('Press Ctrl-C to stop and write the file.');
  await stopped;
  const staged = await client.mocks.stageRecording(mock.id, { paths, latency, rewriteUrls, distinguishBy });
  await exportMock(client, mock.id, { from: 'staged', ...(format === undefined ? {} : { format }) }, output);
  for (const line of resultLines(staged, output)) say(printable(line));
  return staged.check !== null && staged.check.checked === staged.check.same;
}

/** Refuses a folder in which the recording would be lost. @throws OperatorError when no file can be written there. */
function assertFolder(output: string): void {
  try {
    accessSync(dirname(output), constants.W_OK);
  } catch (error) {
    throw new OperatorError(`cannot write ${output}: ${(error as Error).message}`);
  }
}

/** The first signal stops the recording; a second one ends the command at once. */
function untilStopped(duration = TIMER_MS_MAX): Promise<void> {
  return new Promise((resolve) => {
    // Nothing else keeps this process alive.
    const timer = setTimeout(resolve, duration);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        clearTimeout(timer);
        resolve();
        process.once(signal, () => process.exit(FAILED));
      });
    }
  });
}

const FAILED = 2;
/** The longest that a timer takes: 24 days. */
const TIMER_MS_MAX = 2_147_483_647;

/** The service may be reached wherever it is: a person has named it. */
function placeOf(upstream: string): string {
  const { hostname, port, protocol } = new URL(upstream);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

function resultLines({ report, check }: StagedRecording, output: string): string[] {
  return [
    ...countLines(report),
    ...entryLines(report, 'recording'),
    '',
    ...(check === null ? ['The check took too long.'] : checkLines(check)),
    `Written to ${output}. To serve it: switchyard ${output}`,
  ];
}

function checkLines({ summary, different, checked, same }: ReplayCheck): string[] {
  const lines = different.map(({ number, request, reason, at, recorded, answered }) => {
    const place = at === null || at === '' ? '' : ` at ${at}`;
    return `  ${number} ${request}: ${reason}${place}: recorded ${recorded ?? 'nothing'}, answered ${answered ?? 'nothing'}`;
  });
  const left = checked - same - different.length;
  return [`Check: ${summary}`, ...lines, ...(left > 0 ? [`  and ${left} more`] : [])];
}
