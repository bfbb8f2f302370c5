/**
 * The log: pino's JSON lines on stdout, pretty when stdout is a terminal.
 *
 * Lines are buffered and written in blocks: a write per line costs twice as much as the rest of the line. A process
 * that is killed loses at most FLUSH_MS of lines. A pipe whose reader has stopped blocks neither the service nor its
 * end: lines are dropped when too many wait.
 */
import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { pino, type Logger } from 'pino';
import type PinoPretty from 'pino-pretty';
import { loadPackage } from '../base/program-files.ts';
import type { LogLevel } from './config.ts';

const STDOUT = 1;
const FLUSH_MS = 50;
const BLOCK_CHARS = 32_768;
const UNREAD_BYTES_MAX = 16 * 1_048_576;
/** How long the process waits for a reader when it ends. */
const LAST_FLUSH_MS = 500;

export interface Log {
  readonly logger: Logger;
  /** Writes a line that is JSON already, with its newline, at any level: for lines too frequent for pino to build. */
  readonly writeLine: (line: string) => void;
  /** Writes the buffered lines; resolves when they are written, or the reader is too slow. */
  readonly flush: () => Promise<void>;
}

export function openLog(level: LogLevel): Log {
  if (process.stdout.isTTY) {
    // Loaded for a terminal only.
    const pinoPretty = loadPackage('pino-pretty') as typeof PinoPretty;
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

/** A file never blocks. A pipe blocks when its reader falls behind, unless it is written to like a socket. */
function openStdout(): Write {
  const stat = fstatSync(STDOUT);
  if (!stat.isFIFO() && !stat.isSocket()) {
    return (text, written) => {
      writeAll(Buffer.from(text));
      written();
    };
  }
  const stdout = new Socket({ fd: STDOUT, readable: false, writable: true });
  // A reader that has gone ends the log, not the service.
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
