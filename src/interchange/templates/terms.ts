/** Values in the tags of another tool's templates, as they are written there; and how ours are written. */
import type { Token } from '../../languages/templates/template-tokens.ts';

export type Term =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null | undefined }
  | { readonly kind: 'name'; readonly up: number; readonly name: string; readonly steps: readonly string[] }
  | Call;

/** A helper with arguments. A helper alone is a name. */
export interface Call {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Term[];
  readonly named: Readonly<Record<string, Term>>;
}

/** @returns undefined for what no tag holds. */
export function termOf(tokens: readonly Token[]): Term | undefined {
  const reader = new Reader(tokens);
  const term = reader.term(tokens.length > 1);
  return reader.isAtEnd ? term : undefined;
}

/** A helper that is written alone has no arguments. */
export function callOf(term: Term): Call | undefined {
  if (term.kind === 'call') return term;
  const isAlone = term.kind === 'name' && term.up === 0 && term.steps.length === 0;
  return isAlone ? { kind: 'call', name: term.name, args: [], named: {} } : undefined;
}

/** The text of a literal that is one. */
export function literalText(term: Term | undefined): string | undefined {
  return term?.kind === 'literal' && typeof term.value === 'string' ? term.value : undefined;
}

/** @returns undefined for a text that has both quotation marks, which no template can write. */
export function quoted(text: string): string | undefined {
  if (!text.includes("'")) return `'${text}'`;
  return text.includes('"') ? undefined : `"${text}"`;
}

/** A call as an argument: in parentheses. @param args Those that are undefined are absent. */
export function called(name: string, ...args: readonly (string | undefined)[]): string {
  return `(${[name, ...args.filter((each) => each !== undefined)].join(' ')})`;
}

/** A path as it is written. */
export function pathText(up: number, name: string, steps: readonly string[]): string {
  return `${'../'.repeat(up)}${name}${steps.map((step) => (/^[A-Za-z_$@][\w$@-]*$/.test(step) ? `.${step}` : `.[${step}]`)).join('')}`;
}

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** @param isCall Whether arguments may follow. */
  term(isCall: boolean): Term | undefined {
    const token = this.#tokens[this.#at++];
    switch (token?.kind) {
      case 'value':
        return { kind: 'literal', value: token.value };
      case '(': {
        const inner = this.term(true);
        return this.#tokens[this.#at++]?.kind === ')' ? inner : undefined;
      }
      case 'name':
        return isCall && token.up === 0 && token.steps.length === 0
          ? this.#call(token.name)
          : { kind: 'name', up: token.up, name: token.name, steps: token.steps };
      default:
        return undefined;
    }
  }

  #call(name: string): Term | undefined {
    const args: Term[] = [];
    const named: Record<string, Term> = Object.create(null) as Record<string, Term>;
    while (!this.isAtEnd && this.#tokens[this.#at]?.kind !== ')') {
      const token = this.#tokens[this.#at] as Token;
      if (token.kind === 'named') this.#at++;
      const value = this.term(false);
      if (value === undefined) return undefined;
      if (token.kind === 'named') named[token.name] = value;
      else args.push(value);
    }
    return { kind: 'call', name, args, named };
  }
}
