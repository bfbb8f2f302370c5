/** Rules: `client.rules`. */
import type { Page } from '../model/queries.ts';
import type { Conditional, EvaluateInput, Evaluation, Repeatable, RuleInput, RuleQuery, RuleRecord } from './shapes.ts';
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

  /** Replaces the rule: absent members get their defaults. */
  update(id: string, body: RuleInput, options?: Conditional): Promise<RuleRecord> {
    return this.#transport.record('PUT', ['rules', id], { ...options, body });
  }

  async delete(id: string, options?: Conditional): Promise<void> {
    await this.#transport.send('DELETE', ['rules', id], options);
  }

  /** What the stored rules, or drafts of rules, would do to a request, and why others would not act. Nothing is sent. */
  evaluate(body: EvaluateInput): Promise<Evaluation> {
    return this.#transport.record('POST', ['rules', 'evaluate'], { body });
  }
}
