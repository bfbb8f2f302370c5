/**
 * Data buckets: named values of an environment. What requests may change is a store of the mock; what they do not is a variable, which
 * templates read.
 */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { numberProblem } from '../../../base/strict-json.ts';
import { SETTINGS_VARIABLES_CHARS_MAX, STORES_MAX } from '../../../limits.ts';
import { valueProblem } from '../../../model/mocks/stores/store-checks.ts';
import { STORE_NAME } from '../../../model/mocks/stores/store.ts';
import type { StoreDefinition } from '../../../model/mocks/stores/store-schema.ts';
import { countMembers, textIn } from '../../reading/members.ts';
import type { ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';

interface Bucket {
  readonly id: string;
  /** Name of a variable. */
  readonly name: string;
  readonly text: string;
  /** Its value where it has no tags; absent for text that is not JSON. */
  readonly value?: unknown;
  readonly hasTags: boolean;
  /** Whether its tags read a request: the first that uses it decides its value there. */
  readonly readsRequest: boolean;
  /** The name of its store. */
  readonly storeName: string;
}

const READS_REQUEST =
  /\{\{[#(~\s\w]*(?:body|bodyRaw|method|ip|urlParams?|queryParam(?:Raw|s)?|headers?|cookie|baseUrl|hostname)[)} ~]/;

/** A template of Mockoon in our words. */
type Reword = (text: string) => { readonly text: string };

export class Buckets {
  readonly #buckets: (Bucket & { readonly title: string; readonly source: Member })[] = [];
  readonly #used = new Map<string, unknown>();
  readonly #stores = new Map<string, { readonly bucket: Bucket; idMember: string | undefined }>();
  readonly #areStores: boolean;
  readonly #ofCrud: ReadonlySet<unknown>;
  #chars = 0;

  /** @param areStores Whether some template changes buckets: which, only a request says. @param routes With those that change theirs. */
  constructor(sources: readonly Member[], areStores: boolean, routes: unknown) {
    this.#areStores = areStores;
    const crud = (Array.isArray(routes) ? routes : []).filter((each) => isObject(each) && each.type === 'crud');
    const responses = crud.flatMap((each: JsonObject) => (Array.isArray(each.responses) ? each.responses : []));
    this.#ofCrud = new Set(responses.map((each: unknown) => (isObject(each) ? each.databucketID : undefined)));
    for (const source of sources) {
      const id = textIn(source, 'id') ?? textIn(source, 'uuid') ?? '';
      const title = textIn(source, 'name') ?? '';
      const text = textIn(source, 'value') ?? '';
      const hasTags = text.includes('{{');
      const name = `bucket_${this.#buckets.length + 1}`;
      const isTaken = this.#buckets.some((each) => each.storeName === title);
      const storeName = STORE_NAME.test(title) && !isTaken ? title : name;
      const readsRequest = READS_REQUEST.test(text);
      const value = hasTags ? {} : parsed(text);
      this.#buckets.push({ id, title, source, name, storeName, text, hasTags, readsRequest, ...value });
    }
  }

  account(report: ReportWriter): void {
    for (const { source, text, hasTags, value } of this.#buckets) {
      countMembers(source, { uuid: ['text'], documentation: ['text'] }, { code: 'mockoon.environment' }, report);
      if ((hasTags || value !== undefined) && numberProblem(text, { work: Infinity }) !== undefined)
        report.itemOf(source).note('import.number', source.at('/value'));
    }
  }

  /** By its id. */
  byId(id: string): Bucket | undefined {
    return this.#buckets.find((bucket) => bucket.id === id);
  }

  /** Finds the bucket that a rule names: by its id or its name. */
  exactly(name: string): Bucket | undefined {
    return this.byId(name) ?? this.#buckets.find(({ title }) => title === name);
  }

  /** Finds the bucket that a helper names: by its id, or by a part of its name. */
  named(name: string): Bucket | undefined {
    const part = name.toLowerCase();
    return this.#buckets.find(({ id, title }) => id === name || title.toLowerCase().includes(part));
  }

  /** Whether templates read it as a store. */
  isStore(bucket: Bucket): boolean {
    return this.#areStores || bucket.hasTags || this.#ofCrud.has(bucket.id) || this.#stores.has(bucket.name);
  }

  /** @returns Whether the bucket is a store of the mock from now on. @param idMember Of its items, where a route says it. */
  useAsStore(bucket: Bucket, idMember?: string): boolean {
    const known = this.#stores.get(bucket.name);
    if (known === undefined && this.#stores.size >= STORES_MAX) return false;
    this.#stores.set(bucket.name, { bucket, idMember: known?.idMember ?? idMember });
    return true;
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

  /** @param onProblem Called for a bucket that cannot be a store as it is: it is empty then. */
  settings(
    reword: Reword,
    onProblem: (source: Member | undefined, problem: string) => void,
  ): { readonly variables?: Readonly<Record<string, unknown>>; readonly stores?: readonly StoreDefinition[] } {
    const stores = [...this.#stores.values()].map(({ bucket, idMember }): StoreDefinition => {
      const { storeName: name, hasTags, value, text } = bucket;
      const own = idMember === undefined || idMember === 'id' ? {} : { idMember };
      const store: StoreDefinition = hasTags
        ? { name, value: reword(text).text, templated: true, ...own }
        : { name, value: value === undefined ? text : value, ...own };
      const problem = valueProblem(store);
      if (problem === undefined) return store;
      onProblem(this.#buckets.find((each) => each.name === bucket.name)?.source, problem);
      return { name, value: [], ...own };
    });
    return {
      ...(this.#used.size === 0 ? {} : { variables: Object.fromEntries(this.#used) }),
      ...(stores.length === 0 ? {} : { stores }),
    };
  }
}

function parsed(text: string): { readonly value?: unknown } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return {};
  }
}
