/** The files of one import, parsed when first asked for. References lead to them, and nowhere else. */
import { isNumberPrinted } from '../../base/written-numbers.ts';
import { Ledger } from './ledger.ts';
import { Member } from './member.ts';
import { parseSource, type ParsedSource, type SourceProblem } from './parse-source.ts';

export interface SourceFile {
  /** Relative, with "/" between its parts; "" for a file that came alone. */
  readonly path: string;
  readonly bytes: Buffer;
}

export class Bundle {
  readonly #files: ReadonlyMap<string, SourceFile>;
  /** By file, pointers of what has a number that JavaScript changes. */
  readonly #inexact = new Map<string, ReadonlySet<string>>();
  readonly #parsed = new Map<string, ParsedSource | SourceProblem>();
  readonly #opened = new Set<string>();
  readonly #contents = new Set<string>();
  #broken: string | undefined;
  readonly #ledger = new Ledger();

  constructor(files: readonly SourceFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  get paths(): string[] {
    return [...this.#files.keys()];
  }

  /** @returns undefined when there is no such file. */
  parsed(path: string): ParsedSource | SourceProblem | undefined {
    const file = this.#files.get(path);
    if (file === undefined) return undefined;
    let parsed = this.#parsed.get(path);
    if (parsed === undefined) {
      parsed = parseSource(file.bytes);
      this.#parsed.set(path, parsed);
    }
    return parsed;
  }

  /** @returns undefined when there is no such file, or it cannot be parsed. */
  root(path: string): Member | undefined {
    const parsed = this.parsed(path);
    if (parsed === undefined) return undefined;
    if ('problem' in parsed) {
      this.#broken ??= path;
      return undefined;
    }
    this.#opened.add(path);
    return Member.root(parsed.value, path, this.#ledger);
  }

  /** The bytes of a file that is the body of a response. @returns undefined when there is no such file. */
  content(path: string): Buffer | undefined {
    const file = this.#files.get(path);
    if (file !== undefined) this.#contents.add(path);
    return file?.bytes;
  }

  /** Whether a number in it is neither read nor printed as it is written. */
  isInexact({ file, pointer }: Member): boolean {
    let pointers = this.#inexact.get(file);
    if (pointers === undefined) {
      const parsed = this.parsed(file);
      pointers = new Set(parsed === undefined || 'problem' in parsed ? [] : parsed.inexactNumbers.flatMap(around));
      this.#inexact.set(file, pointers);
    }
    if (!pointers.has(pointer)) return false;
    const parsed = this.parsed(file) as ParsedSource;
    const root = Member.root(parsed.value, file, this.#ledger);
    return parsed.inexactNumbers.some((each) => {
      if (each !== pointer && !each.startsWith(`${pointer}/`)) return false;
      const number = root.at(each);
      return !isNumberPrinted(number?.parent?.value, number?.name ?? '');
    });
  }

  /** Files that are read, not only parsed to see what they are. */
  get opened(): string[] {
    return [...this.#opened];
  }

  /** Files that nothing was read of. */
  get unused(): string[] {
    return this.paths.filter((path) => !this.#opened.has(path) && !this.#contents.has(path));
  }

  /** The first file that was to be read and cannot be parsed. */
  get broken(): string | undefined {
    return this.#broken;
  }
}

/** @returns The pointer, and those of all values around. */
function around(pointer: string): string[] {
  const names = pointer.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
