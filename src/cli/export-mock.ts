/** `switchyard export`: writes a mock as a file, and says what the file cannot have. */
import { writeFileSync } from 'node:fs';
import { OperatorError } from '../base/operator-error.ts';
import type { Client, ExportOptions } from '../client/index.ts';
import { printable, warn } from './print.ts';
import { entryLines } from './report-lines.ts';

/** @param output The standard output when absent. @throws OperatorError when the file cannot be written. */
export async function exportMock(
  client: Client,
  id: string,
  options: ExportOptions,
  output: string | undefined,
): Promise<void> {
  const { file, report } = await client.mocks.export(id, options);
  if (output === undefined) process.stdout.write(file);
  else write(output, file);
  for (const line of entryLines(report, id)) warn(printable(line));
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new OperatorError(`cannot write ${path}: ${(error as Error).message}`);
  }
}
