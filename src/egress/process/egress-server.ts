/**
 * Takes the calls of serving threads from a Unix socket, in envelopes (forward/envelope.ts), and answers each in one; and the
 * questions of the API process (questions.ts).
 */
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { CALLBACKS_PATH, type CallbacksSent } from '../../forward/callbacks-sent.ts';
import { pack, unpack } from '../../forward/envelope.ts';
import { FORWARDED_HEADER } from '../../forward/peer-headers.ts';
import type { UpstreamCall } from '../../forward/upstream-call.ts';
import { PEER_IDLE_MS } from '../../limits.ts';
import type { Callbacks } from '../callbacks/callbacks.ts';
import type { Upstreams, UpstreamSink } from '../forward/upstreams.ts';
import type { Recorder } from '../recording/recorder.ts';
import { ASK_PATH, type AnswerQuestions, type EgressQuestions } from './questions.ts';

interface EgressServerParts {
  readonly upstreams: Upstreams;
  readonly recorder: Recorder;
  readonly callbacks: Callbacks;
  readonly answers: AnswerQuestions;
  readonly token: string;
}

export class EgressServer {
  readonly #upstreams: Upstreams;
  readonly #recorder: Recorder;
  readonly #answers: AnswerQuestions;
  readonly #callbacks: Callbacks;
  readonly #token: string;
  readonly #server: Server;

  constructor({ upstreams, recorder, callbacks, answers, token }: EgressServerParts) {
    this.#upstreams = upstreams;
    this.#recorder = recorder;
    this.#callbacks = callbacks;
    this.#answers = answers;
    this.#token = token;
    this.#server = createServer({ keepAliveTimeout: 2 * PEER_IDLE_MS, requestTimeout: 0 }, (asked, reply) =>
      this.#answer(asked, reply),
    );
  }

  /** @throws The error of the file system, or of the socket. */
  async listen(socketPath: string): Promise<void> {
    const folder = dirname(socketPath);
    // What a process before this one has left.
    rmSync(socketPath, { force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(socketPath, resolve);
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(asked: IncomingMessage, reply: ServerResponse): void {
    if (asked.headers[FORWARDED_HEADER] !== this.#token) return void reply.writeHead(403).end();
    const chunks: Buffer[] = [];
    // The thread has collected the body within its bounds.
    asked.on('data', (chunk: Buffer) => chunks.push(chunk));
    asked.on('end', () => {
      const [first] = chunks;
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      const question = asked.url?.startsWith(ASK_PATH) === true ? asked.url.slice(ASK_PATH.length) : undefined;
      if (question !== undefined) return void this.#ask(question, bytes, reply);
      if (asked.url === CALLBACKS_PATH) {
        this.#callbacks.take(JSON.parse(bytes.toString()) as CallbacksSent);
        return void reply.writeHead(204).end();
      }
      const sent = unpack(bytes);
      if (sent === undefined) return void reply.writeHead(400).end();
      return this.#forward(sent.head as UpstreamCall, sent.body, reply);
    });
    return undefined;
  }

  async #ask(question: string, asked: Buffer, reply: ServerResponse): Promise<void> {
    const answer = this.#answers[question as keyof EgressQuestions] as ((asked: unknown) => unknown) | undefined;
    if (answer === undefined) return void reply.writeHead(404).end();
    try {
      const text = JSON.stringify(await answer(JSON.parse(asked.toString())));
      reply.writeHead(200, { 'content-length': Buffer.byteLength(text) }).end(text);
    } catch (error) {
      reply.writeHead(500).end(String(error));
    }
    return undefined;
  }

  #forward(call: UpstreamCall, body: Buffer, reply: ServerResponse): void {
    reply.sendDate = false;
    // What comes at once is written at once: the head of most answers, their body and their end.
    const begin = (packed: Buffer, bodyBytes: number | undefined): void => {
      if (bodyBytes !== undefined) reply.writeHead(200, { 'content-length': packed.length + bodyBytes });
      reply.cork();
      queueMicrotask(() => reply.uncork());
      reply.write(packed);
    };
    const sink: UpstreamSink = {
      onHead: (head) => begin(pack(head), call.method === 'HEAD' ? 0 : head.bodyBytes),
      onData(chunk) {
        if (!reply.write(chunk)) flow.pause();
      },
      onEnd: () => void reply.end(),
      onCut: () => void reply.destroy(),
      onFailure(unanswered, reason) {
        begin(pack({ unanswered, reason }), 0);
        reply.end();
      },
    };
    const capture = this.#recorder.begin(call, body, sink);
    const flow = this.#upstreams.forward(call, body, capture ?? sink);
    reply.on('drain', () => flow.resume());
    reply.on('close', () => {
      if (reply.writableFinished) return;
      flow.cancel();
      capture?.abort();
    });
  }
}
