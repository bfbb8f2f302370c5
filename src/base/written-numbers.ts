/**
 * Numbers of a source that JavaScript prints otherwise than they are written: 12345678901234567890, 1.10. They are kept beside the value
 * that has them, so that it is printed with all digits.
 */

interface WrittenNumber {
  readonly text: string;
  isPrinted: boolean;
}

const numbers = new WeakMap<object, Map<string, WrittenNumber>>();
let hasAny = false;

/** @param text A number of JSON. */
export function keepNumber(holder: object, name: string, text: string): void {
  hasAny = true;
  const own = numbers.get(holder);
  if (own === undefined) numbers.set(holder, new Map([[name, { text, isPrinted: false }]]));
  else own.set(name, { text, isPrinted: false });
}

/** A decimal of JSON such as 1.10: its zeros stay. */
export function isPrintedOtherwise(number: string): boolean {
  return /^-?(?:0|[1-9]\d*)\.\d+$/.test(number) && String(Number(number)) !== number;
}

/** A number of an object or a list as it is written; undefined for one that JavaScript prints so. */
export function printedNumber(holder: object, name: string): string | undefined {
  const written = hasAny ? numbers.get(holder)?.get(name) : undefined;
  if (written !== undefined) written.isPrinted = true;
  return written?.text;
}

/** Whether the number has been printed as it is written. */
export function isNumberPrinted(holder: unknown, name: string): boolean {
  return typeof holder === 'object' && holder !== null && numbers.get(holder)?.get(name)?.isPrinted === true;
}

/** Stands for a number until all is printed. JSON of a source may have such a text: then its numbers are printed as JavaScript does. */
const MARK = '\u0000number ';
const MARKED = /"\\u0000number ([^"]*)"/g;

/** Prints like JSON.stringify, with the numbers as they are written. @returns undefined for what is no JSON. */
export function printJson(value: unknown, indent?: number): string {
  const plain = JSON.stringify(value, undefined, indent);
  if (!hasAny || typeof value !== 'object' || value === null || plain.includes(String.raw`\u0000number `)) return plain;
  let hasWritten = false;
  const marked = JSON.stringify(
    value,
    function mark(this: object, name: string, each: unknown) {
      const text = typeof each === 'number' ? printedNumber(this, name) : undefined;
      hasWritten ||= text !== undefined;
      return text === undefined ? each : MARK + text;
    },
    indent,
  );
  return hasWritten ? marked.replaceAll(MARKED, '$1') : plain;
}
