/** Imports for tests, and every small change of a source: none may go unnoticed. */
import type { ImportOptions } from '../../src/interchange/format.ts';
import { importMocks, type MockImport } from '../../src/interchange/import-mocks.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import type { MockDefinition } from '../../src/model/mocks/definition/definition.ts';

/** @returns What an import came to, or its first problem. */
export function tryImport(source: unknown, options: ImportOptions = {}): MockImport | string {
  const bytes = Buffer.from(typeof source === 'string' ? source : JSON.stringify(source));
  const found = importMocks([{ path: '', bytes }], '', options, DEFAULT_LIMITS.mocks);
  return 'details' in found ? (found.details[0]?.message ?? '') : found;
}

/** @throws When it is refused. */
export function imported(source: unknown, options: ImportOptions = {}): MockImport {
  const found = tryImport(source, options);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

export function definitionOf({ mocks }: MockImport): MockDefinition {
  const [mock] = mocks;
  if (mock === undefined) throw new Error('there is no mock');
  return mock.definition;
}

/** Code and place of each entry of the report. */
export function notesOf({ report }: MockImport): string[] {
  return report.entries.map(({ code, source }) => `${code} ${source.pointer}`);
}

/** Codes of entries on a place or below it. */
export function codesAt({ report }: MockImport, pointer: string): string[] {
  return report.entries
    .filter(({ source }) => source.pointer === pointer || source.pointer.startsWith(`${pointer}/`))
    .map(({ code }) => code);
}

/** A source in which no member may be overlooked. */
export interface WholeFile {
  readonly format: string;
  readonly source: unknown;
  /** Whether a change of the member at a pointer says nothing. */
  readonly isExempt: (change: Change['change'], pointer: string) => boolean;
  /** More changes than this must be noticed. */
  readonly changesMin: number;
}

export interface Change {
  readonly change: 'delete' | 'rename' | 'retype';
  /** Of the member. */
  readonly pointer: string;
  readonly source: unknown;
}

/**
 * The source with each member deleted, renamed and of another type in turn. A null and an empty array say nothing.
 *
 * @param step One change in this many, from a random one on.
 */
export function* changesOf(source: unknown, step = 1): Generator<Change> {
  let left = Math.floor(Math.random() * step);
  for (const { pointer, path, value } of membersOf(source, [])) {
    if (value === null || (Array.isArray(value) && value.length === 0)) continue;
    const variants: [Change['change'], (container: Record<string, unknown>, name: string) => void][] = [
      ['delete', deleteFrom],
      ['retype', (container, name) => void (container[name] = typeof value === 'object' ? 'x' : {})],
    ];
    const isInArray = Array.isArray(at(source, path.slice(0, -1)));
    if (!isInArray) {
      variants.push([
        'rename',
        (container, name) => {
          container[`${name}X`] = container[name];
          deleteFrom(container, name);
        },
      ]);
    }
    for (const [change, apply] of variants) {
      if (left-- > 0) continue;
      left = step - 1;
      const copy = structuredClone(source);
      apply(at(copy, path.slice(0, -1)) as Record<string, unknown>, path.at(-1) as string);
      yield { change, pointer, source: copy };
    }
  }
}

function deleteFrom(container: Record<string, unknown>, name: string): void {
  if (Array.isArray(container)) container.splice(Number(name), 1);
  else Reflect.deleteProperty(container, name);
}

function* membersOf(
  value: unknown,
  path: readonly string[],
): Generator<{ pointer: string; path: readonly string[]; value: unknown }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    const own = [...path, name];
    yield { pointer: own.map((each) => `/${each}`).join(''), path: own, value: child };
    yield* membersOf(child, own);
  }
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce((found, name) => (found as Record<string, unknown>)[name], value);
}
