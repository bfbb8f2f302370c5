/**
 * A value of a source file, read member by member. Reading accounts for it: what no reader asked for is found at the end, and reported.
 *
 * Names are data: "__proto__" and "constructor" are members like any other.
 */
import { isObject } from '../../base/json-object.ts';
import type { Ledger } from './ledger.ts';

export class Member {
  readonly value: unknown;
  /** Path of the file within its bundle; "" for a file that came alone. */
  readonly file: string;
  readonly #parent: Member | undefined;
  readonly #name: string;
  readonly #ledger: Ledger;

  private constructor(value: unknown, file: string, ledger: Ledger, parent?: Member, name = '') {
    this.value = value;
    this.file = file;
    this.#ledger = ledger;
    this.#parent = parent;
    this.#name = name;
  }

  static root(value: unknown, file: string, ledger: Ledger): Member {
    return new Member(value, file, ledger);
  }

  get parent(): Member | undefined {
    return this.#parent;
  }

  /** JSON pointer within the file. */
  get pointer(): string {
    if (this.#parent === undefined) return '';
    return `${this.#parent.pointer}/${escapeName(this.#name)}`;
  }

  /** The last part of the pointer. */
  get name(): string {
    return this.#name;
  }

  get isObject(): boolean {
    return isObject(this.value);
  }

  get isArray(): boolean {
    return Array.isArray(this.value);
  }

  /** Names of an object's members; accounts for none. */
  names(): string[] {
    return this.isObject ? Object.keys(this.value as object) : [];
  }

  has(name: string): boolean {
    return this.isObject && Object.hasOwn(this.value as object, name);
  }

  /** Accounts for the member. @returns undefined when it is absent, or this is not an object. */
  get(name: string): Member | undefined {
    if (!this.has(name)) return undefined;
    return this.#child(name, (this.value as Record<string, unknown>)[name]);
  }

  /** A value below by its JSON pointer, from here; accounts for none. @returns undefined when there is none. */
  at(pointer: string): Member | undefined {
    if (pointer === '') return this;
    const { value } = this;
    const [, part = '', rest = ''] = /^\/([^/]*)(.*)$/s.exec(pointer) ?? [];
    const name = unescapeName(part);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    const child = new Member((value as Record<string, unknown>)[name], this.file, this.#ledger, this, name);
    return child.at(rest);
  }

  /** Accounts for every element. @returns None when this is not an array. */
  items(): Member[] {
    if (!Array.isArray(this.value)) return [];
    return this.value.map((value, index) => this.#child(String(index), value));
  }

  /** Accounts for every member of an object whose names are data. @returns None when this is not an object. */
  members(): Member[] {
    return this.names().map((name) => this.#child(name, (this.value as Record<string, unknown>)[name]));
  }

  /** Accounts for all below: the value is used as it is. */
  whole(): unknown {
    this.#ledger.markWhole(this.value);
    return this.value;
  }

  /** Accounts for a value below, as `unread` gives it. */
  account(below: Member): void {
    const holder = below.parent?.value;
    if (typeof holder === 'object' && holder !== null) this.#ledger.mark(holder, below.name);
  }

  text(): string | undefined {
    return typeof this.value === 'string' ? this.value : undefined;
  }

  number(): number | undefined {
    return typeof this.value === 'number' ? this.value : undefined;
  }

  #child(name: string, value: unknown): Member {
    this.#ledger.mark(this.value as object, name);
    return new Member(value, this.file, this.#ledger, this, name);
  }

  /** Every highest value below this one that nobody has read. */
  *unread(): Generator<Member> {
    const { value } = this;
    if (typeof value !== 'object' || value === null || this.#ledger.isWhole(value)) return;
    for (const [name, child] of Object.entries(value)) {
      const member = new Member(child, this.file, this.#ledger, this, name);
      if (this.#ledger.isMarked(value, name)) yield* member.unread();
      else yield member;
    }
  }
}

export function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function unescapeName(text: string): string {
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}
