/** Data buckets: named values of an environment. What no request changes is a variable of the mock, which templates read. */
import { SETTINGS_VARIABLES_CHARS_MAX } from '../../../limits.ts';
import { countMembers, textIn } from '../../reading/members.ts';
import type { ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';

interface Bucket {
  /** As a variable. */
  readonly name: string;
  readonly text: string;
  /** Its value where it has no tags; absent for text that is not JSON. */
  readonly value?: unknown;
  readonly hasTags: boolean;
}

export class Buckets {
  readonly #buckets: (Bucket & { readonly id: string; readonly title: string; readonly source: Member })[] = [];
  readonly #used = new Map<string, unknown>();
  #chars = 0;

  constructor(sources: readonly Member[]) {
    for (const source of sources) {
      const id = textIn(source, 'id') ?? textIn(source, 'uuid') ?? '';
      const title = textIn(source, 'name') ?? '';
      const text = textIn(source, 'value') ?? '';
      const hasTags = text.includes('{{');
      const name = `bucket_${this.#buckets.length + 1}`;
      this.#buckets.push({ id, title, source, name, text, hasTags, ...(hasTags ? {} : parsed(text)) });
    }
  }

  account(report: ReportWriter): void {
    for (const { source } of this.#buckets)
      countMembers(source, { uuid: ['text'], documentation: ['text'] }, { code: 'mockoon.environment' }, report);
  }

  /** By its id. */
  byId(id: string): Bucket | undefined {
    return this.#buckets.find((bucket) => bucket.id === id);
  }

  /** As helpers name one: by its id, or by a part of its name. */
  named(name: string): Bucket | undefined {
    const part = name.toLowerCase();
    return this.#buckets.find(({ id, title }) => id === name || title.toLowerCase().includes(part));
  }

  /** @returns Whether the bucket is a variable of the mock from now on. */
  use({ name, text, value, hasTags }: Bucket): boolean {
    if (hasTags) return false;
    if (this.#used.has(name)) return true;
    if (this.#chars + text.length + name.length > SETTINGS_VARIABLES_CHARS_MAX / 2) return false;
    this.#chars += text.length + name.length;
    this.#used.set(name, value ?? text);
    return true;
  }

  settings(): { readonly variables?: Readonly<Record<string, unknown>> } {
    return this.#used.size === 0 ? {} : { variables: Object.fromEntries(this.#used) };
  }
}

function parsed(text: string): { readonly value?: unknown } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return {};
  }
}
