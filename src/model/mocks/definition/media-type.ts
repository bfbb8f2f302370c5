/** Media types, as Content-Type and Accept write them. */
import type { HeaderLine } from './definition.ts';

export interface MediaType {
  /** "application/json", in lower case; in Accept a part of it may be "*". */
  readonly essence: string;
  /** "name=value" in lower case, without `charset`: every text that a mock sends is in the one its response says. */
  readonly parameters: readonly string[];
}

/** The type of a response, by its first Content-Type; undefined without one, and when it is malformed. */
export function mediaTypeOf(headers: readonly HeaderLine[]): MediaType | undefined {
  const line = headers.find(({ name }) => name.toLowerCase() === 'content-type');
  return line && parseMediaType(splitOutsideQuotes(line.value, ';'));
}

/** @param parts The type, and its parameters. */
export function parseMediaType([type = '', ...parameters]: readonly string[]): MediaType | undefined {
  const essence = type.trim().toLowerCase();
  if (!ESSENCE.test(essence)) return undefined;
  return {
    essence,
    parameters: parameters.flatMap((text) => {
      const [name, value] = parseParameter(text);
      return name === '' || name === 'charset' ? [] : [`${name}=${value.toLowerCase()}`];
    }),
  };
}

const ESSENCE = /^[^\s/]+\/[^\s/]+$/;

/** @returns The name in lower case, and the value without its quotes; "" when it is absent. */
export function parseParameter(text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals === -1) return [text.trim().toLowerCase(), ''];
  return [text.slice(0, equals).trim().toLowerCase(), unquote(text.slice(equals + 1).trim())];
}

function unquote(text: string): string {
  return text.startsWith('"') ? text.slice(1, text.endsWith('"') ? -1 : undefined).replaceAll(/\\(.)/g, '$1') : text;
}

/** Splits a list of a header. In quotes a backslash escapes; a quote that is not closed goes to the end. */
export function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') isQuoted = !isQuoted;
    else if (char === '\\' && isQuoted) at++;
    else if (char === separator && !isQuoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
