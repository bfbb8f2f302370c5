/** `switchyard drift`: compares a mock with the real service, and prints the report; docs/drift.md. */
import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { createClient, SwitchyardError, type Client, type DriftInput, type DriftReport } from '../client/index.ts';
import { CHOSEN_ID } from '../model/mocks/mock-id.ts';
import { driftLines } from './drift-lines.ts';
import { junitOf } from './junit.ts';
import { startOwnServer } from './own-server.ts';
import { say } from './print.ts';
import { whileWaiting } from './progress-lines.ts';
import type { ServerOptions } from './server-options.ts';
import { readInput, withServer } from './with-server.ts';

export interface DriftOptions
  extends ServerOptions, Pick<DriftInput, 'upstream' | 'against' | 'unsafe' | 'compare' | 'repeat' | 'stage'> {
  readonly header: readonly string[];
  readonly headerFile?: string;
  readonly ignore: readonly string[];
  readonly strict?: true;
  readonly json?: true;
  readonly junit?: string;
  readonly egressAllow: string;
  readonly egressCa?: string;
}

/** Exit statuses; that of what could not be carried out is that of every command. */
const BREAKING = 1;
const FAILED = 2;
const STRICT = 3;

/** Where a file is served. */
const FILE_ID = 'drift';

/** @returns The exit status. @throws OperatorError when nothing could be compared, or the report not written. */
export async function drift(mock: string, options: DriftOptions): Promise<number> {
  const { json, junit, strict } = options;
  const asked = inputOf(options);
  const compare = (client: Client, id: string): Promise<DriftReport> =>
    whileWaiting(`comparing ${mock} with ${asked.upstream ?? 'its upstream'}`, client.mocks.drift(id, asked));
  const isFile = existsSync(mock);
  if (!isFile && !CHOSEN_ID.test(mock))
    throw new OperatorError(`${mock}: no such file or folder, and not an id of a mock`);
  const report = isFile
    ? await withFile(mock, options, (client) => compare(client, FILE_ID))
    : await withServer(options, (client) => compare(client, mock));
  if (junit !== undefined) write(junit, junitOf(report, mock, strict === true));
  say(json ? JSON.stringify(report, undefined, 2) : driftLines(report, mock).join('\n'));
  return statusOf(report, strict === true);
}

function statusOf({ verdict, state, counts, problem }: DriftReport, isStrict: boolean): number {
  if (verdict === 'breaking') return BREAKING;
  if (verdict === 'failed' || state !== 'finished' || problem !== null) return FAILED;
  return isStrict && (verdict === 'added' || counts.skipped + counts.failed > 0) ? STRICT : 0;
}

function inputOf(options: DriftOptions): DriftInput {
  const { header, headerFile, upstream, against, unsafe, compare, repeat, stage, ignore } = options;
  const lines = headerFile === undefined ? [] : readInput(headerFile).toString().split(/\r?\n/);
  const headers = [
    ...header.map((line, index) => headerOf(line, `--header, the ${index + 1}.`)),
    ...lines.flatMap((line, index) =>
      line.trim() === '' || line.startsWith('#') ? [] : [headerOf(line, `${headerFile}:${index + 1}`)],
    ),
  ];
  const given = { upstream, against, unsafe, compare, repeat, stage };
  return { ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)), headers, ignore };
}

/** @param place What a mistake is named by: the line may be a secret. */
function headerOf(line: string, place: string): { name: string; value: string } {
  const colon = line.indexOf(':');
  if (colon < 1) throw new OperatorError(`${place}: expected a header such as "authorization: Bearer …"`);
  return { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
}

/** Serves a file for as long as it takes. @throws OperatorError when it cannot be served, or the server refuses. */
async function withFile<Result>(
  path: string,
  { stage, egressAllow, egressCa }: DriftOptions,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  if (stage === true) throw new OperatorError('--stage needs a mock of a server: a file stays as it is');
  const args = [
    ...(egressAllow === '' ? [] : ['--egress-allow', egressAllow]),
    ...(egressCa === undefined ? [] : ['--egress-ca', egressCa]),
  ];
  const own = await startOwnServer({ mocks: [`${FILE_ID}=${resolve(path)}`], args });
  try {
    return await use(createClient(own));
  } catch (error) {
    throw error instanceof SwitchyardError ? new OperatorError(`${path}: ${error.message}`) : error;
  } finally {
    await own.stop();
  }
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new OperatorError(`cannot write ${file}: ${(error as Error).message}`);
  }
}
