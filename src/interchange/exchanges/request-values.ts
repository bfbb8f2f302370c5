/**
 * The values of a recorded request that rules can test: as rules read them in a request (docs/mocks-matching.md, "Operators").
 *
 * A value that must not stand in a rule, or that a rule would read differently, makes its whole name unusable.
 */
import { decodeForm } from '../../base/percent.ts';
import { RULE_VALUE_CHARS_MAX } from '../../limits.ts';
import { isCredential, isRedacted, mentionsCredential, namesCredential } from '../../base/credentials.ts';

export interface RequestValue {
  readonly target: 'urlParam' | 'query' | 'header' | 'body';
  /** Property as in a rule: of a body "" for its text. */
  readonly property: string;
  readonly value: string;
  readonly isUsable: boolean;
}

/** A body that cannot be read as rules would read it. */
export const OPAQUE = 'opaque';

const PROPERTY_CHARS_MAX = 1_000;

export function requestValue(target: RequestValue['target'], property: string, value: string): RequestValue {
  const isUsable =
    property !== '' &&
    property.length <= PROPERTY_CHARS_MAX &&
    value.length <= RULE_VALUE_CHARS_MAX &&
    value.isWellFormed() &&
    !namesCredential(property) &&
    !isCredential(value);
  return { target, property, value, isUsable };
}

/** @param query Without "?". */
export function queryValues(query: string): RequestValue[] {
  return pairsOf(query).map(([name, value]) => requestValue('query', name, value));
}

const FORM = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;
const MULTIPART = /^\s*multipart\/form-data\s*(?:;|$)/i;

/** @param contentType "" where there is none. */
export function bodyValues(text: string, contentType: string): readonly RequestValue[] | typeof OPAQUE {
  if (text === '') return [];
  const isForm = FORM.test(contentType);
  const json = isForm && !/^[ \t\r\n]*[[{]/.test(text) ? undefined : jsonOf(text);
  if (json === undefined && MULTIPART.test(contentType)) return OPAQUE;
  const plain = json === undefined ? text : JSON.stringify(json.value);
  const isSecret = mentionsCredential(plain) || isRedacted(plain);
  const whole: RequestValue = {
    target: 'body',
    property: '',
    value: text,
    isUsable: !isSecret && text.length <= RULE_VALUE_CHARS_MAX && text.isWellFormed(),
  };
  if (json !== undefined) return [...leavesOf(json.value), whole];
  return isForm ? [...fieldValues(pairsOf(text)), whole] : [whole];
}

/** @param fields Decoded names and values, in their order. */
export function fieldValues(fields: readonly (readonly [name: string, value: string])[]): RequestValue[] {
  const names = new Set(fields.map(([name]) => name));
  const counts = new Map<string, number>();
  return fields.flatMap(([name, value]) => {
    const index = counts.get(name) ?? 0;
    counts.set(name, index + 1);
    const own = bodyValue(name, value);
    // A rule on "tags.0" reads a field, too: it must not be taken for a member of JSON alone.
    const indexed = `${name}.${index}`;
    return names.has(indexed) ? [own] : [own, bodyValue(indexed, value)];
  });
}

/** Texts of the values in JSON that are not containers, by dot paths. */
function leavesOf(root: unknown): RequestValue[] {
  const leaves: RequestValue[] = [];
  const visit = (value: unknown, path: string, isReadable: boolean): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [name, child] of Object.entries(value)) {
        const isName = name !== '' && !name.includes('.') && !namesCredential(name);
        visit(child, path === '' ? name : `${path}.${name}`, isReadable && isName);
      }
      return;
    }
    if (path === '') return;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    // The text of a container would be equal to a text that is written like it, and a number of many digits is not a double.
    const isOwn =
      typeof value === 'string' ? !/^[[{]/.test(value) : !(Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER);
    const leaf = bodyValue(path, text);
    leaves.push(isReadable && isOwn ? leaf : { ...leaf, isUsable: false });
  };
  visit(root, '', true);
  return leaves;
}

/** From "$" on a property is a JSONPath. */
function bodyValue(property: string, value: string): RequestValue {
  const found = requestValue('body', property, value);
  return property.startsWith('$') ? { ...found, isUsable: false } : found;
}

export function jsonOf(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function pairsOf(text: string): [name: string, value: string][] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1
        ? [decodeForm(pair), '']
        : [decodeForm(pair.slice(0, equals)), decodeForm(pair.slice(equals + 1))];
    });
}
