/**
 * A template of another tool in our words, tag by tag. What has no words here stays as it is written, and is reported; so is what has words
 * but prints otherwise.
 */
import { hasTags, templateProblem } from '../../languages/templates/template-checks.ts';
import { withoutNames } from '../../languages/templates/parse-template.ts';
import { TagReader, type Tag, type Token } from '../../languages/templates/template-tokens.ts';
import { callOf, quoted, termOf, type Call, type Term } from './terms.ts';

/** Use of a value. */
export type Use = 'printed' | 'tested' | 'listed' | 'argument';

/** A block in our words. */
export interface Block {
  readonly begin: string;
  /** Follows the beginning. */
  readonly after?: string;
  readonly end: string;
  /** Names that the block gives to its items; without them it has no items. */
  readonly names?: readonly string[];
  /** Whether it has turns, with a number each. */
  readonly isRepeat?: true;
  /** Term that values of its cases are compared with. */
  readonly switched?: Term;
  /** Replaces the white space at both ends of what it holds. */
  readonly trims?: true;
}

export interface Dialect {
  /** Whether a tag behind a backslash is text. */
  readonly escapes?: true;
  /** Whether braces that end nowhere make the whole template invalid there. */
  readonly isStrict?: true;
  /** @returns Our words as an argument; undefined where there are none. */
  value(term: Term, use: Use, context: Rewording): string | undefined;
  /** @param names Those behind `as`. */
  block(call: Call, names: readonly string[], context: Rewording): Block | undefined;
}

/** Tools that make the words of a helper. */
export interface Speaker {
  readonly context: Rewording;
  /** @returns Our words of an argument; undefined where it is absent, or has none. */
  readonly of: (term: Term | undefined, use?: Use) => string | undefined;
}

export interface RewordedText {
  readonly text: string;
  /** Whether the text is a template; else it is sent as it is. */
  readonly templated: boolean;
  /** The status that the template sets for all requests. */
  readonly status?: number;
  /** Tags that print some values of requests otherwise. */
  readonly loose: readonly string[];
  /** Tags that are sent as they are written. */
  readonly unknown: readonly string[];
  /** Tags that print otherwise, with the reason. */
  readonly different: readonly string[];
}

interface Frame extends Block {
  readonly name: string;
  /** Where what it holds begins in the output. */
  readonly from: number;
}

const SHOWN_CHARS = 40;
const ANY_TAG = /\{\{\{?[^{}]*\}?\}\}/y;

export function reword(text: string, dialect: Dialect): RewordedText {
  if (!text.includes('{{')) return plain(text);
  return new Rewording(text, dialect).run();
}

/** A text that is sent as it is. */
export function plain(text: string): RewordedText {
  return { text, templated: false, loose: [], unknown: [], different: [] };
}

/** A text that is sent as it is, beside templates that have the same switch. */
function textAsTemplate(text: string): string {
  return hasTags(text) || templateProblem(text, 'text') !== undefined ? text.replaceAll('{{', "{{'{{'}}") : text;
}

/** The text among those of one response: where one of them is a template, all are. */
export function among(all: readonly RewordedText[], { text, templated }: RewordedText): string {
  return templated || !all.some((each) => each.templated) ? text : textAsTemplate(text);
}

/** Known facts of the template at a tag. */
export class Rewording {
  status: number | undefined;
  readonly #text: string;
  readonly #dialect: Dialect;
  readonly #frames: Frame[] = [];
  readonly #unknown = new Set<string>();
  readonly #different = new Set<string>();
  readonly #loose = new Set<string>();
  readonly #variables = new Map<string, Term>();
  #tag = '';
  #at = 0;
  #out: string[] = [];
  #isInQuotes = false;

  constructor(text: string, dialect: Dialect) {
    this.#text = text;
    this.#dialect = dialect;
  }

  /** The tag as it is written. */
  get tag(): string {
    return this.#tag;
  }

  /** Whether the tag stands where a value of JSON does, or is the whole text. */
  get isJsonValue(): boolean {
    return !this.#isInQuotes && /(?:^|[:,[}])\s*$/.test(this.#text.slice(Math.max(0, this.#at - 20), this.#at));
  }

  /** Text behind the tag. */
  get next(): string {
    return this.#text.slice(this.#at + this.#tag.length, this.#at + this.#tag.length + 1);
  }

  /** The value of the innermost `switch`. */
  get switched(): Term | undefined {
    return this.#frames.findLast(({ name }) => name === 'switch')?.switched;
  }

  /** Whether some requests may pass the tag by. */
  get isInside(): boolean {
    return this.#frames.length > 0;
  }

  /** Whether names may be members of an item. */
  get hasItem(): boolean {
    return this.#frames.some(({ names }) => names !== undefined);
  }

  /** Whether there are turns. */
  get isInBlock(): boolean {
    return this.#frames.some(({ names, isRepeat }) => names !== undefined || isRepeat === true);
  }

  isLocal(name: string): boolean {
    return this.#frames.some(({ names }) => names?.includes(name)) || this.#variables.has(name);
  }

  assign(name: string, value: Term): void {
    this.#variables.set(name, value);
  }

  variable(name: string): Term | undefined {
    return this.#variables.get(name);
  }

  /** A name that the template does not use. */
  freshName(): string {
    let number = 1;
    while (this.#text.includes(`text${number}`) || this.#variables.has(`text${number}`)) number++;
    this.#variables.set(`text${number}`, { kind: 'literal', value: '' });
    return `text${number}`;
  }

  /** Reports that the tag prints otherwise there. */
  differs(why: string): void {
    this.#different.add(`${this.#tag}: ${why}`);
  }

  /** Reports that the tag prints some values otherwise there. */
  mayDiffer(): void {
    this.#loose.add(this.#tag);
  }

  run(): RewordedText {
    const text = this.#text;
    const tags = new TagReader(text);
    let from = 0;
    for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf('{{', at)) {
      const tag = tags.read(at);
      ANY_TAG.lastIndex = at;
      const source = tag === undefined ? ANY_TAG.exec(text)?.[0] : text.slice(tag.start, tag.end);
      if (source === undefined) {
        if (this.#dialect.isStrict === true) this.#unknown.add(`${text.slice(at, at + SHOWN_CHARS)}: it has no end`);
        at += 2;
        continue;
      }
      const isEscaped = this.#dialect.escapes === true && text[at - 1] === '\\';
      this.#addText(text.slice(from, isEscaped ? at - 1 : at));
      this.#tag = source;
      this.#at = at;
      const words = isEscaped ? asText(source) : tag && this.#words(tag);
      if (words === undefined) this.#unknown.add(source);
      const isOverEnded = text[at + source.length] === '}' && !source.startsWith('{{{');
      if (isOverEnded && !isEscaped && this.#dialect.isStrict === true)
        this.#different.add(`${source}}: it is not valid there, with a brace too many`);
      this.#out.push(words ?? asText(source));
      at += source.length;
      from = at;
    }
    this.#out.push(text.slice(from));
    const own = this.#out.join('');
    const problem = templateProblem(own, 'text');
    if (problem !== undefined) return { ...plain(text), unknown: [...this.#unknown, problem] };
    return {
      text: own,
      templated: hasTags(own),
      ...(this.status === undefined ? {} : { status: this.status }),
      loose: [...this.#loose],
      unknown: [...this.#unknown],
      different: [...this.#different],
    };
  }

  #addText(text: string): void {
    this.#out.push(text);
    const quotes = text.replaceAll(/\\./g, '').split('"').length - 1;
    if (quotes % 2 === 1) this.#isInQuotes = !this.#isInQuotes;
  }

  #words(tag: Tag): string | undefined {
    if (tag.sign === '!') return this.#tag;
    if (tag.sign === '/') return this.#close(tag);
    const { expression, names } = withoutNames(tag.tokens);
    if (tag.sign === '#') return names === undefined ? undefined : this.#open(expression, names, tag);
    const [first, second] = tag.tokens as [Token, Token?];
    if (first.kind === 'name' && first.name === 'else') {
      if (second === undefined) return this.#tag;
      const term = second.kind === 'name' && second.name === 'if' ? termOf(tag.tokens.slice(2)) : undefined;
      const own = term && this.#dialect.value(term, 'tested', this);
      return own === undefined ? undefined : `{{else if ${own}}}`;
    }
    const term = termOf(tag.tokens);
    const own = term && this.#dialect.value(term, 'printed', this);
    return own === undefined ? undefined : inBraces(own, tag);
  }

  #open(tokens: readonly Token[], names: readonly string[], tag: Tag): string | undefined {
    const term = termOf(tokens);
    const call = term && callOf(term);
    const block = call && this.#dialect.block(call, names, this);
    if (call === undefined || block === undefined) return undefined;
    this.#frames.push({ ...block, name: call.name, from: this.#out.length });
    return inBraces(block.begin, tag) + (block.after ?? '');
  }

  #close({ tokens: [first] }: Tag): string | undefined {
    const frame = this.#frames.at(-1);
    if (frame === undefined || first?.kind !== 'name' || first.name !== frame.name) return undefined;
    this.#frames.pop();
    if (frame.trims === true) {
      const held = this.#out
        .slice(frame.from + 1)
        .join('')
        .trim();
      this.#out = [...this.#out.slice(0, frame.from + 1), held];
    }
    return frame.end;
  }
}

/** @param own As an argument: in a tag a call has no parentheses. */
function inBraces(own: string, { trimsBefore, trimsAfter }: Tag): string {
  const bare = own.startsWith('(') && own.endsWith(')') ? own.slice(1, -1) : own;
  return `{{${trimsBefore ? '~' : ''}${bare}${trimsAfter ? '~' : ''}}}`;
}

/** Prints as a text what would be a tag of ours. */
export function asText(source: string): string {
  if (!hasTags(source) && templateProblem(source, 'text') === undefined) return source;
  const own = quoted(source);
  return own === undefined ? source.replaceAll('{{', "{{'{{'}}") : `{{${own}}}`;
}
