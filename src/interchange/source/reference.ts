/**
 * Finds the target of a `$ref`: a place in its own file or in another file of the import. Nothing else is ever opened: no network, no other path.
 *
 * It also knows which values were reached, so that what nothing refers to can be distinguished from what was not understood.
 */
import { isObject } from '../../base/json-object.ts';
import { decodeOnce } from '../../base/percent.ts';
import { REFERENCES_MAX } from '../../limits.ts';
import type { Bundle } from './bundle.ts';
import type { Member } from './member.ts';

/** References of a file to references: more are a mistake. */
const REFERENCE_CHAIN_MAX = 64;

export class References {
  readonly #bundle: Bundle;
  readonly #roots = new Map<string, Member | undefined>();
  /** By file, then by the text of the reference. */
  readonly #found = new Map<string, Map<string, Member | undefined>>();
  readonly #reached = new Set<unknown>();
  readonly #passed = new Set<unknown>();
  #count = 0;

  constructor(bundle: Bundle) {
    this.#bundle = bundle;
  }

  /**
   * @param file The one that holds the reference.
   * @returns undefined for what is not in the files of the import.
   */
  find(reference: string, file: string): Member | undefined {
    return ++this.#count > REFERENCES_MAX ? undefined : this.findAgain(reference, file);
  }

  /** The same, uncounted: for a sampler, which follows references again and again, and bounds its steps itself. */
  findAgain(reference: string, file: string): Member | undefined {
    let found = this.#found.get(file);
    if (found === undefined) this.#found.set(file, (found = new Map<string, Member | undefined>()));
    if (!found.has(reference)) found.set(reference, this.#search(reference, file));
    return found.get(reference);
  }

  /** Follows references to references. @returns What is no reference itself; undefined when there is no such thing. */
  follow(member: Member): Member | undefined {
    const visited = new Set<unknown>();
    let at: Member | undefined = member;
    for (let reference = referenceIn(at.value); reference !== undefined; reference = referenceIn(at.value)) {
      if (visited.has(at.value) || visited.size === REFERENCE_CHAIN_MAX) return undefined;
      visited.add(at.value);
      at.get('$ref');
      at = this.find(reference, at.file);
      if (at === undefined) return undefined;
    }
    return at;
  }

  /** Whether there were more references than are followed. */
  get isExhausted(): boolean {
    return this.#count > REFERENCES_MAX;
  }

  /** Whether a reference leads to this value. */
  isReached(value: unknown): boolean {
    return this.#reached.has(value);
  }

  /** Whether a reference leads to something below this value. */
  isPassed(value: unknown): boolean {
    return this.#passed.has(value);
  }

  #search(reference: string, file: string): Member | undefined {
    const [path = '', fragment = ''] = reference.split(/#(.*)/s);
    const target = path === '' ? file : pathFrom(file, decodeOnce(path));
    if (target === undefined || (fragment !== '' && !fragment.startsWith('/'))) return undefined;
    if (!this.#roots.has(target)) this.#roots.set(target, this.#bundle.root(target));
    const found = this.#roots.get(target)?.at(decodeOnce(fragment));
    if (found === undefined) return undefined;
    this.#reached.add(found.value);
    for (let around = found.parent; around !== undefined; around = around.parent) this.#passed.add(around.value);
    return found;
  }
}

/** @returns The text of the reference that a value is; undefined when it is not one. */
export function referenceIn(value: unknown): string | undefined {
  return isObject(value) && Object.hasOwn(value, '$ref') && typeof value.$ref === 'string' ? value.$ref : undefined;
}

/** @returns undefined for an address, and for what is outside of the import. */
function pathFrom(file: string, relative: string): string | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|[/\\])/i.test(relative)) return undefined;
  const parts = file.split('/').slice(0, -1);
  for (const part of relative.split('/')) {
    if (part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}
