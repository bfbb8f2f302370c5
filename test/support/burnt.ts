import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { eventually, serve, type Running } from './process.ts';
import { temporaryDirectory } from './server.ts';

const BURNING = pathToFileURL(resolve(import.meta.dirname, 'burning.mjs')).href;
const PATIENCE_MS = 40_000;

/** A server whose event loop and heap a test fills (burning.mjs). */
export class Burnt {
  readonly server: Running;
  readonly key: string;
  port = 0;
  readonly #file: string;

  private constructor(server: Running, key: string, file: string) {
    this.server = server;
    this.key = key;
    this.#file = file;
  }

  static async start(nodeOptions = ''): Promise<Burnt> {
    const data = temporaryDirectory();
    const file = join(temporaryDirectory(), 'burn');
    writeFileSync(file, 'nothing');
    const key = await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' });
    const env = { NODE_OPTIONS: `--import ${BURNING} ${nodeOptions}`, BURN_FILE: file };
    const burnt = new Burnt(serve(data, ['--log-level', 'warn'], { env }), key, file);
    burnt.port = (await burnt.server.ready()) as number;
    return burnt;
  }

  burn(order: string): void {
    writeFileSync(this.#file, order);
  }

  /** A request of a rule that is not there. @returns "404", "404 close" where the answer closes its connection, and so on. */
  async ask(path = '/v1/rules/Cancel_none'): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, { headers: { 'x-api-key': this.key } });
    const { message } = (await answer.json().catch(() => ({}))) as { message?: string };
    if (answer.status === 503) {
      expect(message).toBe('Service overloaded');
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    return answer.headers.get('connection') === 'close' ? `${answer.status} close` : String(answer.status);
  }

  answers(expected: string): Promise<boolean> {
    return eventually(async () => (await this.ask()) === expected, PATIENCE_MS);
  }

  async stop(): Promise<void> {
    this.server.child.kill('SIGTERM');
    expect((await this.server.ended).status).toBe(0);
  }
}
