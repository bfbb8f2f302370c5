/**
 * The log: pino's JSON lines on stdout, pretty when stdout is a terminal.
 *
 * Lines are gathered and written in blocks: a write each cost twice what the rest of the line does. At most FLUSH_MS of lines are
 * lost with a process that is killed. A reader of a pipe that has stopped reading never holds the service, nor its end: lines are
 * dropped when too many wait.
 */
import { fstatSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { pino, type Logger } from 'pino';
import type PinoPretty from 'pino-pretty';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const STDOUT = 1;
const FLUSH_MS = 50;
const BLOCK_CHARS = 32_768;
const UNREAD_BYTES_MAX = 16 * 1_048_576;
/** How long the end of the process waits for a reader. */
const LAST_FLUSH_MS = 500;

export interface Log {
  readonly logger: Logger;
  /** Writes a line that is JSON already, with its end, whatever the level: what is too frequent for pino to put together. */
  readonly writeLine: (line: string) => void;
  /** Writes what was gathered; resolves when it is written, or its reader has taken too long. */
  readonly flush: () => Promise<void>;
}

export function openLog(level: LogLevel): Log {
  if (process.stdout.isTTY) {
    // Loaded for people alone.
    const pinoPretty = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
    const pretty = pinoPretty({
      sync: true,
      translateTime: 'HH:MM:ss.l',
      ignore: 'id,method,route,status,ms,owner,key',
      messageFormat: '{if method}{method} {route} {status} {ms} ms {owner} {id}{end}{msg}',
    });
    return {
      logger: pino({ level, base: null }, pretty),
      writeLine: (line) => void pretty.write(line),
      flush: async () => undefined,
    };
  }
  const write = openStdout();
  let lines = '';
  const flush = (written: () => void = () => undefined): void => {
    if (lines === '') return written();
    write(lines, written);
    lines = '';
  };
  setInterval(() => flush(), FLUSH_MS).unref();
  process.on('exit', () => flush());
  const writeLine = (line: string): void => {
    lines += line;
    if (lines.length > BLOCK_CHARS) flush();
  };
  return {
    logger: pino({ level, base: null }, { write: writeLine }),
    writeLine,
    flush: () =>
      new Promise((resolve) => {
        setTimeout(resolve, LAST_FLUSH_MS).unref();
        flush(resolve);
      }),
  };
}

type Write = (text: string, written: () => void) => void;

/** A file never blocks. A pipe does once its reader falls behind, unless it is written to as a socket is. */
function openStdout(): Write {
  const stat = fstatSync(STDOUT);
  if (!stat.isFIFO() && !stat.isSocket()) {
    return (text, written) => {
      writeAll(Buffer.from(text));
      written();
    };
  }
  const stdout = new Socket({ fd: STDOUT, readable: false, writable: true });
  // A reader that is gone ends the log, not the service.
  stdout.on('error', () => undefined);
  stdout.unref();
  return (text, written) => {
    if (stdout.writableLength > UNREAD_BYTES_MAX || stdout.destroyed) return written();
    return void stdout.write(text, () => written());
  };
}

function writeAll(block: Buffer): void {
  try {
    for (let at = 0; at < block.length;) at += writeSync(STDOUT, block, at);
  } catch {
    // A disk that is full of logs must not end the service.
  }
}
