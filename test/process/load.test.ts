/** Overload of the API process: requests are refused, then served again; one long block is no overload. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { endAll, eventually, serve, type Running } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';

afterAll(endAll);

const BURNING = pathToFileURL(resolve(import.meta.dirname, '../support/burning.mjs')).href;
const PATIENCE_MS = 40_000;

class Burnt {
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

test('a late event loop refuses requests, a calm one serves again; one block of two seconds changes nothing', async () => {
  const burnt = await Burnt.start();
  expect(await burnt.ask()).toBe('404');
  burnt.burn('once 2000');
  await sleep(500);
  for (let turn = 0; turn < 10; turn++) {
    expect(await burnt.ask()).toBe('404');
    await sleep(100);
  }
  expect(burnt.server.stdout).not.toContain('overloaded');

  burnt.burn('loop 600 610');
  expect(await burnt.answers('503 close')).toBe(true);
  // Who looks after the service sees how it is, and nobody else is sent to it.
  const [health, readiness, metrics] = await Promise.all([
    burnt.ask('/healthz'),
    burnt.ask('/readyz'),
    fetch(`http://127.0.0.1:${burnt.port}/metrics`),
  ]);
  expect([health, readiness]).toEqual(['200 close', '503 close']);
  expect(metrics.status).toBe(200);
  expect(await metrics.text()).toMatch(/^switchyard_overloaded 1$/m);
  burnt.burn('free');
  expect(await burnt.answers('404')).toBe(true);
  expect(await burnt.ask('/readyz')).toBe('200');
  await burnt.stop();
  const messages = [...burnt.server.stdout.matchAll(/"memoryShare":[^}]*"msg":"([^"]+)"/g)].map(([, text]) => text);
  expect(messages).toEqual(['overloaded: requests are refused', 'no longer overloaded']);
});

test('a full heap refuses requests, and serves again once it has space', async () => {
  const burnt = await Burnt.start('--max-old-space-size=400 --max-semi-space-size=1');
  burnt.burn('heap 360');
  expect(await burnt.answers('503 close')).toBe(true);
  burnt.burn('free');
  expect(await burnt.answers('404')).toBe(true);
  await burnt.stop();
});
