/**
 * The log: pino's JSON lines on stdout, pretty when stdout is a terminal.
 *
 * Lines are gathered and written in blocks: a write each cost twice what the rest of the line does. At most FLUSH_MS of lines
 * are lost with a process that is killed; a crash and a stop write them first.
 */
import { destination, pino, type Logger } from 'pino';
import pinoPretty from 'pino-pretty';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const STDOUT = 1;
const FLUSH_MS = 50;
const BLOCK_CHARS = 32_768;
const UNREAD_CHARS_MAX = 16 * 1_048_576;

export interface Log {
  readonly logger: Logger;
  readonly flush: () => void;
}

export function openLog(level: LogLevel): Log {
  if (process.stdout.isTTY)
    return { logger: pino({ level, base: null }, pinoPretty({ sync: true })), flush: () => undefined };
  // Waits for a slow reader without holding the event loop; beyond the bound, lines are dropped rather than memory filled.
  const stdout = destination({ dest: STDOUT, sync: false, maxLength: UNREAD_CHARS_MAX });
  stdout.on('error', () => undefined);
  let lines = '';
  const flush = (): void => {
    if (lines === '') return;
    stdout.write(lines);
    lines = '';
  };
  setInterval(flush, FLUSH_MS).unref();
  const flushSync = (): void => {
    flush();
    stdout.flushSync();
  };
  process.on('exit', flushSync);
  const gathered = {
    write(line: string) {
      lines += line;
      if (lines.length > BLOCK_CHARS) flush();
    },
  };
  return { logger: pino({ level, base: null }, gathered), flush: flushSync };
}
