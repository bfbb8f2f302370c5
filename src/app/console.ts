/** The console's files, which the build writes beside the program. */
import { CONSOLE_FOLDER } from '../base/program-files.ts';
import { CONSOLE_PATH, hasConsole } from '../http/api/console.ts';
import { readFiles, type StaticFile } from '../http/static/read-files.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

/** @returns None when the console is switched off, or is not there: the service runs without it. */
export async function readConsole({ servesConsole }: Config): Promise<readonly StaticFile[]> {
  return servesConsole ? readFiles(CONSOLE_FOLDER) : [];
}

/** Logged once, when the start has succeeded. */
export function warnOfMissingConsole(files: readonly StaticFile[], { servesConsole }: Config, { logger }: Log): void {
  if (!servesConsole || hasConsole(files)) return;
  logger.warn(`the console is not built, so the server does not serve ${CONSOLE_PATH}: run \`npm run build\``);
}
