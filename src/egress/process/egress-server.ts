/** Listens for the calls of serving threads (answer-calls.ts) and for the questions of the API process (questions.ts). */
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Server as SocketServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { FORWARDED_HEADER } from '../../forward/peer-headers.ts';
import { answerCalls, type CallParts } from './answer-calls.ts';
import { ASK_PATH, questionsPath, type AnswerQuestions, type EgressQuestions } from './questions.ts';

interface EgressServerParts extends CallParts {
  readonly answers: AnswerQuestions;
}

export class EgressServer {
  readonly #answers: AnswerQuestions;
  readonly #token: string;
  readonly #calls: SocketServer;
  readonly #questions: Server;
  readonly #threads = new Set<Socket>();

  constructor({ answers, ...parts }: EgressServerParts) {
    this.#answers = answers;
    this.#token = parts.token;
    this.#calls = createSocketServer((socket) => {
      this.#threads.add(socket);
      socket.on('close', () => this.#threads.delete(socket));
      answerCalls(socket, parts);
    });
    this.#questions = createServer((asked, reply) => this.#answer(asked, reply));
  }

  /** @throws The error of the file system, or of the socket. */
  async listen(socketPath: string): Promise<void> {
    const folder = dirname(socketPath);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [server, path] of [
      [this.#questions, questionsPath(socketPath)],
      [this.#calls, socketPath],
    ] as const) {
      // What a process before this one has left.
      rmSync(path, { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, resolve);
      });
    }
  }

  get threadCount(): number {
    return this.#threads.size;
  }

  close(): void {
    this.#calls.close();
    for (const socket of this.#threads) socket.destroy();
    this.#questions.close();
    this.#questions.closeAllConnections();
  }

  #answer(asked: IncomingMessage, reply: ServerResponse): void {
    if (asked.headers[FORWARDED_HEADER] !== this.#token) return void reply.writeHead(403).end();
    const chunks: Buffer[] = [];
    asked.on('data', (chunk: Buffer) => chunks.push(chunk));
    asked.on('end', () => void this.#ask(asked.url?.slice(ASK_PATH.length) ?? '', Buffer.concat(chunks), reply));
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
}
