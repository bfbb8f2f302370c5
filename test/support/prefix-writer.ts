/**
 * Writers whose owner's every state is known: one request after the other, so that what a copy of the store shows of an owner can be
 * found among the states, and the place where it is found says what the copy has seen.
 */
import { createHash } from 'node:crypto';
import type { TestServer } from './server.ts';

/** Fits one page of a list. */
const RULES_MAX = 60;

interface Known {
  readonly id: string;
  text: string;
}

export class PrefixWriter {
  /** Digests of what a list shows after as many commits, in order; the first is of an owner without records. */
  readonly states: string[] = [stateOf([])];
  readonly key: string;
  readonly #server: TestServer;
  readonly #rules: Known[] = [];
  #isStopped = false;
  #work: Promise<void> = Promise.resolve();

  private constructor(server: TestServer, key: string) {
    this.#server = server;
    this.key = key;
  }

  static async start(server: TestServer, count: number): Promise<PrefixWriter[]> {
    const owners = Array.from({ length: count }, (_, index) => `owner-${index}`);
    const writers = await Promise.all(owners.map(async (owner) => new PrefixWriter(server, await server.key(owner))));
    for (const writer of writers) writer.#work = writer.#run();
    return writers;
  }

  /** Count of the writes that were acknowledged. */
  get acknowledged(): number {
    return this.states.length - 1;
  }

  /** Resolves when the last write was answered; rejects when one was not answered with 200. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#work;
  }

  async #run(): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn++) {
      const text = `${turn} ${'x'.repeat(turn % 50)}`;
      const index = (turn * 7_919) % RULES_MAX;
      const rule = this.#rules[index];
      if (rule === undefined) {
        const { id } = await this.#send('POST', '/v1/rules', text);
        this.#rules.push({ id, text });
      } else if (turn % 3 === 0) {
        await this.#send('DELETE', `/v1/rules/${rule.id}`);
        this.#rules.splice(index, 1);
      } else {
        await this.#send('PUT', `/v1/rules/${rule.id}`, text);
        rule.text = text;
      }
      this.states.push(stateOf(this.#rules.map((each) => each.text)));
    }
  }

  async #send(method: string, path: string, text?: string): Promise<{ id: string }> {
    const pairs = [{ source: { key: 'Url', operator: 'Contains', value: 'a' } }];
    const body = text === undefined ? undefined : { name: 'n', description: text, ruleType: 'Cancel', pairs };
    const { status, json } = await this.#server.request(method, path, { key: this.key, body });
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json.data as { id: string };
  }
}

/** What a server shows of a writer's owner, as its states are written. */
export async function shownState(server: TestServer, key: string): Promise<string> {
  const { status, json } = await server.request('GET', '/v1/rules?pageSize=75', { key });
  if (status !== 200) throw new Error(`a list was answered ${status}`);
  return stateOf((json.data as { description: string }[]).map(({ description }) => description));
}

function stateOf(descriptions: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(descriptions)).digest('base64');
}
