/** Rules: `client.rules`. */
import type { Page } from '../model/queries.ts';
import { fileOptions } from './import-file.ts';
import type {
  Conditional,
  EvaluateInput,
  Evaluation,
  ImportedRules,
  KnownPage,
  Listed,
  Repeatable,
  RuleInput,
  RulePatch,
  RuleQuery,
  RuleRecord,
  RulesBatch,
  RulesExportOptions,
  RulesImportOptions,
} from './shapes.ts';
import type { Transport } from './transport.ts';

export class RulesClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: RuleQuery = {}, options?: KnownPage<Listed<RuleRecord>>): Promise<Page<Listed<RuleRecord>>> {
    return this.#transport.page(['rules'], { ...query }, options);
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

  /** Changes the members that are given, and keeps the others: `{ status: 'Inactive' }`. */
  patch(id: string, body: RulePatch, options?: Conditional): Promise<RuleRecord> {
    return this.#transport.record('PATCH', ['rules', id], { ...options, body });
  }

  /** Sets the status or the group of many rules, or deletes them: all of them, or none. @returns How many changed. */
  batch(body: RulesBatch, options?: Repeatable): Promise<{ readonly count: number }> {
    return this.#transport.record('POST', ['rules', 'batch'], { ...options, body });
  }

  async delete(id: string, options?: Conditional): Promise<void> {
    await this.#transport.send('DELETE', ['rules', id], options);
  }

  /** Imports a file of rules and groups: Requestly's or our own. The report says what is lost. */
  import(file: string | Uint8Array | object, options: RulesImportOptions = {}): Promise<ImportedRules> {
    const { idempotencyKey, ...query } = options;
    const sent = fileOptions(file, query);
    return this.#transport.record('POST', ['rules', 'import'], {
      ...sent,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  }

  /** Writes rules and their groups as a file. @returns Its text. */
  export({ ids, groupIds, format }: RulesExportOptions = {}): Promise<string> {
    return this.#transport.text(['rules', 'export'], { ids: ids?.join(), groupIds: groupIds?.join(), format });
  }

  /** Evaluates the stored rules, or drafts of rules, for a request, and explains why others would not act. Nothing is sent. */
  evaluate(body: EvaluateInput): Promise<Evaluation> {
    return this.#transport.record('POST', ['rules', 'evaluate'], { body });
  }
}
