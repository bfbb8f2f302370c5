/**
 * A walk over the text of a JSON document, which knows where each value stands. `JSON.parse` makes the values; it reports neither places nor
 * names that came twice nor numbers that it changes.
 */
import { escapeName } from './member.ts';

/** Problem of a text, and its place. */
export class TextProblem extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

interface JsonVisitor {
  /**
   * @param path   Names and indexes from the outermost value; it changes with the next value.
   * @param offset Where the value begins; of a member where its name does.
   */
  value?(path: readonly string[], offset: number): void;
  number?(pointer: () => string, text: string): void;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const WORD = /true|false|null/y;

/**
 * @param depthMax Deepest accepted nesting of arrays and objects, counted from 1.
 * @throws TextProblem When the text is not JSON, is nested deeper, or has a name twice in one object.
 */
export function walkJson(text: string, depthMax: number, visitor: JsonVisitor = {}): void {
  const path: string[] = [];
  const pointer = (): string => path.map((name) => `/${escapeName(name)}`).join('');
  let at = 0;

  const fail = (message: string): never => {
    throw new TextProblem(at >= text.length ? 'the text ends too early' : message, at);
  };
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) at += found.length;
    return found;
  };
  const takeChar = (char: string): boolean => {
    take(SPACE);
    if (text[at] !== char) return false;
    at++;
    return true;
  };
  /** By hand: a pattern needs stack for each character of a text of megabytes. */
  const takeText = (): string | undefined => {
    if (text[at] !== '"') return undefined;
    const start = at;
    for (at++; text[at] !== '"'; at++) {
      const char = text.charCodeAt(at);
      if (char < FIRST_PRINTABLE || Number.isNaN(char)) fail('a string is not closed on its line');
      if (char !== BACKSLASH) continue;
      ESCAPE.lastIndex = at + 1;
      const [escape] = ESCAPE.exec(text) ?? fail('not a JSON escape');
      at += escape.length;
    }
    at++;
    return text.slice(start, at);
  };
  const takeName = (): string => JSON.parse(takeText() ?? fail('expected a name in double quotes')) as string;

  const takeObject = (): void => {
    const names = new Set<string>();
    if (takeChar('}')) return;
    do {
      take(SPACE);
      const start = at;
      const name = takeName();
      if (names.has(name)) throw new TextProblem(`the name ${JSON.stringify(name)} occurs twice in one object`, start);
      names.add(name);
      if (!takeChar(':')) fail('expected a colon');
      path.push(name);
      takeValue(start);
      path.pop();
    } while (takeChar(','));
    if (!takeChar('}')) fail('expected a comma or a closing brace');
  };
  const takeArray = (): void => {
    if (takeChar(']')) return;
    let index = 0;
    do {
      take(SPACE);
      path.push(String(index++));
      takeValue(at);
      path.pop();
    } while (takeChar(','));
    if (!takeChar(']')) fail('expected a comma or a closing bracket');
  };
  const takeValue = (start: number): void => {
    take(SPACE);
    visitor.value?.(path, start);
    const first = text[at];
    if (first === '{' || first === '[') {
      // The path has a name for each container around this one.
      if (path.length >= depthMax) throw new TextProblem(`it is nested more than ${depthMax} levels deep`, at);
      at++;
      if (first === '{') takeObject();
      else takeArray();
    } else if (takeText() === undefined && take(WORD) === undefined) {
      const number = take(NUMBER) ?? fail('expected a value');
      visitor.number?.(pointer, number);
    }
  };

  takeValue(0);
  take(SPACE);
  if (at < text.length) fail('expected the end of the text');
}
