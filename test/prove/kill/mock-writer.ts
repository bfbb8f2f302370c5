/**
 * A client that edits and saves one mock, and knows which version may be served.
 *
 * Every version has a number of its own, which its two routes tell in body and header: an answer of half of two versions tells two.
 */
import { askMock } from '../../support/ask-mock.ts';
import type { Load } from './load.ts';

const WHOLE = 'no request is answered by half of two versions';
const PATHS = ['/a', '/b'] as const;

export class MockWriter {
  readonly #load: Load;
  readonly #key: string;
  readonly #name: string;
  #mockId = '';
  /** Told by the routes of the saved version that was acknowledged last, and that version's number. */
  #mark = 0;
  #version = 0;
  #lastMark = 0;
  /** The save that has no answer yet. */
  #saving: { readonly mark: number; readonly version: number } | undefined;

  constructor(load: Load, owner: string, key: string) {
    this.#load = load;
    this.#key = key;
    this.#name = `mock of ${owner}`;
  }

  async create(): Promise<void> {
    const body = { name: this.#name, start: true, routes: routes(0) };
    const { json } = await this.#load.write(this.#key, 'POST', '/v1/mocks', body, this.#name);
    ({ id: this.#mockId, version: this.#version } = json.data as { id: string; version: number });
  }

  async step(): Promise<void> {
    const mark = ++this.#lastMark;
    await this.#load.write(this.#key, 'PUT', `/v1/mocks/${this.#mockId}/staged`, { routes: routes(mark) });
    this.#saving = { mark, version: this.#version + 1 };
    await this.repeatUnanswered();
  }

  /** Sends a save whose outcome is unknown, with the key it had: it makes one version, whether it had happened or not. */
  async repeatUnanswered(): Promise<void> {
    if (this.#saving === undefined) return;
    const { mark, version } = this.#saving;
    const idempotencyKey = `${this.#name} ${mark}`;
    const answer = await this.#load.write(
      this.#key,
      'POST',
      `/v1/mocks/${this.#mockId}/save`,
      undefined,
      idempotencyKey,
    );
    const saved = answer.json.data as { version: number };
    this.#load.tally.check(
      'a repeated save makes one version',
      saved.version === version,
      () => `version ${saved.version} instead of ${version} of the ${this.#name}`,
    );
    this.#saving = undefined;
    this.#mark = mark;
    this.#version = version;
  }

  /** One request, beside the writing: it sees what was acknowledged before it, or something newer. */
  async watch(): Promise<void> {
    const acknowledged = this.#mark;
    const served = await this.#ask(PATHS[acknowledged % 2] as string);
    if (served === undefined) return;
    const newest = this.#lastMark;
    this.#load.tally.check(
      'a mock serves what was acknowledged',
      served >= acknowledged && served <= newest,
      () => `${served} is served after ${acknowledged} was acknowledged, of ${newest}: ${this.#name}`,
    );
  }

  /** Resolves with the milliseconds until what was acknowledged is served, undefined when that takes longer than `msMax`. */
  async recovery(msMax: number): Promise<number | undefined> {
    const started = performance.now();
    const acknowledged = this.#mark;
    while (performance.now() - started < msMax) {
      const served = await this.#ask(PATHS[0]);
      if (served !== undefined && served >= acknowledged) return performance.now() - started;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return undefined;
  }

  /** When nothing is written: record, version and both routes agree, on what was acknowledged or on the save without an answer. */
  async check(where: string): Promise<void> {
    const { tally } = this.#load;
    const { json } = await this.#load.ask('GET', `/v1/mocks/${this.#mockId}`, { key: this.#key });
    const { version } = json.data as { version: number };
    const marks = [await this.#ask(PATHS[0]), await this.#ask(PATHS[1])];
    const seen = JSON.stringify([version, ...marks]);
    const acceptable = [
      JSON.stringify([this.#version, this.#mark, this.#mark]),
      ...(this.#saving === undefined
        ? []
        : [JSON.stringify([this.#saving.version, this.#saving.mark, this.#saving.mark])]),
    ];
    tally.check(
      'an acknowledged save is served after it, whole',
      acceptable.includes(seen),
      () => `version and marks ${seen}, none of ${acceptable.join(' ')}: ${this.#name}, ${where}`,
    );
  }

  /** @returns What a route tells; undefined when there is no data plane to ask. */
  async #ask(path: string): Promise<number | undefined> {
    const reply = await askMock(this.#load.server.mockPort, `/__mock/${this.#mockId}${path}`).catch(() => undefined);
    // Until a new data plane knows the mock, it may answer that it does not.
    if (reply === undefined || reply.status === 503) return undefined;
    const told = `${reply.status} ${reply.text}`;
    const expected = `200 ${String(reply.headers['x-mark'])}`;
    this.#load.tally.check(WHOLE, told === expected, () => `${told} with the header of ${expected}`);
    return Number(reply.text);
  }
}

function routes(mark: number): object[] {
  return PATHS.map((path) => ({
    method: 'GET',
    path,
    responses: [{ body: String(mark), headers: [{ name: 'x-mark', value: String(mark) }] }],
  }));
}
