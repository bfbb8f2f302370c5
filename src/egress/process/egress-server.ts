/** Listens for the calls of serving threads (answer-calls.ts) and for the questions of the API process (questions.ts). */
import type { FairShares } from '../../base/fair-shares.ts';
import { inTurn } from '../live-rules/owner-turns.ts';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Server as SocketServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Answers } from '../../children/questions.ts';
import { FORWARDED_HEADER } from '../../forward/peer-headers.ts';
import { answerCalls, type CallParts } from './answer-calls.ts';
import { ASK_PATH, questionsPath, type EgressQuestions } from './questions.ts';

interface EgressServerParts extends CallParts {
  readonly answers: Answers<EgressQuestions>;
}

export class EgressServer {
  readonly #answers: Answers<EgressQuestions>;
  readonly #token: string;
  readonly #shares: FairShares;
  readonly #calls: SocketServer;
  readonly #questions: Server;
  readonly #threads = new Set<Socket>();

  constructor({ answers, ...parts }: EgressServerParts) {
    this.#answers = answers;
    this.#token = parts.token;
    this.#shares = parts.ruling.shares;
    this.#calls = createSocketServer((socket) => {
      this.#threads.add(socket);
      socket.on('close', () => this.#threads.delete(socket));
      answerCalls(socket, parts);
    });
    this.#questions = createServer((req, reply) => this.#answer(req, reply));
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

  #answer(req: IncomingMessage, reply: ServerResponse): void {
    if (req.headers[FORWARDED_HEADER] !== this.#token) return void reply.writeHead(403).end();
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    const name = req.url?.slice(ASK_PATH.length) as keyof EgressQuestions;
    req.on('end', () => void this.#ask(name, Buffer.concat(chunks), reply));
    return undefined;
  }

  async #ask(name: keyof EgressQuestions, question: Buffer, reply: ServerResponse): Promise<void> {
    try {
      const parsed = JSON.parse(question.toString()) as { readonly ownerId?: string } | null;
      const answer = await this.#answers[name](parsed as never);
      const toText = (): string => JSON.stringify(answer);
      const ownerId = parsed?.ownerId;
      // A page has 4 MB.
      const text = (ownerId === undefined ? undefined : await inTurn(this.#shares, ownerId, toText)) ?? toText();
      reply.writeHead(200, { 'content-length': Buffer.byteLength(text) }).end(text);
    } catch (error) {
      process.stderr.write(`${name}: ${(error as Error).stack}\n`);
      reply.writeHead(500).end();
    }
  }
}
