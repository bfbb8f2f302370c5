/** Rules: `client.rules`. */
import type { Page } from '../model/queries.ts';
import type { Guarded, Repeatable, RuleInput, RuleQuery, RuleRecord } from './shapes.ts';
import type { Transport } from './transport.ts';

export class RulesClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: RuleQuery = {}): Promise<Page<RuleRecord>> {
    return this.#transport.page(['rules'], { ...query });
  }

  get(id: string): Promise<RuleRecord> {
    return this.#transport.record('GET', ['rules', id]);
  }

  create(body: RuleInput, options?: Repeatable): Promise<RuleRecord> {
    return this.#transport.record('POST', ['rules'], { ...options, body });
  }

  /** Replaces it: absent members take their defaults. */
  update(id: string, body: RuleInput, options?: Guarded): Promise<RuleRecord> {
    return this.#transport.record('PUT', ['rules', id], { ...options, body });
  }

  async delete(id: string, options?: Guarded): Promise<void> {
    await this.#transport.send('DELETE', ['rules', id], options);
  }
}
