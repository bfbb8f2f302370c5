/**
 * The protocol over standard input and output, for clients that start a program: each message is posted to the `/mcp` of a
 * server, and its answer written. So there is one implementation, and a server's key and switches hold here as well.
 *
 * On the way a path that a tool is given becomes the content of its file, which the server cannot read.
 */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { FileError, withFile } from './local-file.ts';

interface PassThrough {
  /** Without a path: `http://127.0.0.1:8080`. */
  readonly server: string;
  readonly key: string;
  /** Files below it may be sent to the server. */
  readonly directory: string;
  readonly input: Readable;
  /** Writes a line. */
  readonly write: (line: string) => void;
}

const PARSE_ERROR = -32_700;
const INVALID_PARAMS = -32_602;
const SERVER_ERROR = -32_000;

/** Resolves when the input has ended, and everything is answered. */
export async function passThrough({ input, write, ...to }: PassThrough): Promise<void> {
  const session = { revision: undefined as string | undefined };
  const open = new Set<Promise<void>>();
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    const answering = answerLine(line, to, session).then((answer) => {
      if (answer !== undefined) write(answer);
    });
    open.add(answering);
    void answering.finally(() => open.delete(answering));
  }
  await Promise.all(open);
}

/** @returns undefined for what has no answer. */
async function answerLine(
  line: string,
  { server, key, directory }: Omit<PassThrough, 'input' | 'write'>,
  session: { revision: string | undefined },
): Promise<string | undefined> {
  const message = parsed(line);
  if (message === undefined) return failure(null, PARSE_ERROR, 'expected a message as one line of JSON');
  const { id = null, method } = message;
  try {
    const sent = await withFile(message, directory);
    const response = await fetch(`${server}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-api-key': key,
        ...protocolHeaders(message, session.revision),
      },
      body: JSON.stringify(sent),
    });
    const answer = parsed(await response.text());
    if (method === 'initialize') session.revision = revisionOf(answer);
    if (answer?.['jsonrpc'] === '2.0') return JSON.stringify(answer);
    if (id === null) return undefined;
    return failure(id, SERVER_ERROR, `${server} answered ${response.status}: ${reasonOf(answer)}`);
  } catch (error) {
    if (id === null) return undefined;
    if (error instanceof FileError) return failure(id, INVALID_PARAMS, error.message);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return failure(id, SERVER_ERROR, `no answer from ${server}: ${cause}; is the server running?`);
  }
}

/** Reads from a message what the protocol wants in headers, of HTTP alone. */
function protocolHeaders({ method, params }: JsonObject, revision: string | undefined): Record<string, string> {
  const { _meta: meta, name, uri } = isObject(params) ? params : {};
  const claimed = isObject(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined;
  const named = name ?? uri;
  const version = typeof claimed === 'string' ? claimed : revision;
  return {
    ...(typeof method === 'string' && typeof claimed === 'string' ? { 'mcp-method': method } : {}),
    ...(typeof named === 'string' && typeof claimed === 'string' ? { 'mcp-name': encoded(named) } : {}),
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
  };
}

/** In the form of the protocol for what a header may not have. */
function encoded(name: string): string {
  return /^[\w.:/#-]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

function revisionOf(answer: JsonObject | undefined): string | undefined {
  const { protocolVersion } = isObject(answer?.['result']) ? answer['result'] : {};
  return typeof protocolVersion === 'string' ? protocolVersion : undefined;
}

function reasonOf(answer: JsonObject | undefined): string {
  const { message = 'not a protocol message', details } = answer ?? {};
  const [first] = Array.isArray(details) ? (details as { path?: string; message?: string }[]) : [];
  return first === undefined ? String(message) : `${String(message)}: ${first.path} ${first.message}`;
}

function failure(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
