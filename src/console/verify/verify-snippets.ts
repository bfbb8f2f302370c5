/** An expectation as a line of a test, and as a command. Pure. */
import type { Expectation } from '../../client/shapes.ts';
import { shellWord } from '../state/shell-word.ts';

/** For the client of the package: `await mocks.assertVerified('m1', { … });` */
export const testLineOf = (mockId: string, expectation: Expectation): string =>
  `await mocks.assertVerified(${literalOf(mockId)}, ${literalOf(expectation)});`;

/** @param apiUrl Ends with `/v1`. */
export const verifyCommandOf = (apiUrl: string, mockId: string, expectation: Expectation): string =>
  [
    `curl -X POST ${shellWord(`${apiUrl}/mocks/${encodeURIComponent(mockId)}/verify`)}`,
    `-H "x-api-key: $SWITCHYARD_API_KEY" -H 'content-type: application/json'`,
    `-d ${shellWord(escaped(JSON.stringify(expectation)))}`,
  ].join(' ');

const NAME = /^[A-Za-z_$][\w$]*$/;

/** As JavaScript in the style of our documents. */
function literalOf(value: unknown): string {
  if (typeof value === 'string') return stringOf(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, member]) => {
    // `__proto__: …` would set the prototype.
    const key = name === '__proto__' ? `['__proto__']` : NAME.test(name) ? name : stringOf(name);
    return `${key}: ${literalOf(member)}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

const stringOf = (text: string): string =>
  `'${escaped(JSON.stringify(text))
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;

/** Characters that are not seen are escapes, in JSON and in JavaScript alike. */
const escaped = (json: string): string =>
  json.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => unitEscape(character.charCodeAt(index))).join(''),
  );

const unitEscape = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
