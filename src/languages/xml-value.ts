/**
 * XML as a value with members, as conditions and templates read it: an element is an object with its elements by name, several of a name as
 * a list, `_attributes`, `_text` and `_cdata`. Entities that a document declares are not known.
 */
import { take, type WorkBudget } from './work-budget.ts';

/** Work of a tag or a text, of a character of attributes, and of one of a text with entities. In units of RULE_WORK_MAX. */
const PIECE_WORK = 260;
const ATTRIBUTE_WORK = 45;
const ENTITY_WORK = 18;
const DEPTH_MAX = 100;

const PIECE =
  /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?([^\s?]+)\s*([\s\S]*?)\?>|<!DOCTYPE[^>[]*>|<(\/?)([^\s<>/!?][^\s<>/]*)((?:\s+[^\s=<>/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

type Node = Map<string, unknown>;

/** @returns undefined for what is not well-formed, and beyond the budget. */
export function xmlValue(text: string, budget: WorkBudget): { readonly value: unknown } | undefined {
  if (!take(budget, text.length)) return undefined;
  const root: Node = new Map();
  const open: { readonly name: string; readonly node: Node }[] = [{ name: '', node: root }];
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < text.length) {
    const match = PIECE.exec(text);
    const inside = open.at(-1);
    if (match === null || inside === undefined) return undefined;
    const [piece, cdata, instruction, given = '', slash, name, attributes = '', isEmpty, plain] = match;
    const ofText = plain?.includes('&') === true ? ENTITY_WORK * piece.length : 0;
    const work = PIECE_WORK + ATTRIBUTE_WORK * (attributes.length + given.length) + ofText;
    if (!take(budget, work)) return undefined;
    if (cdata !== undefined) add(inside.node, '_cdata', cdata);
    else if (instruction !== undefined) noteInstruction(inside.node, instruction, given);
    else if (plain !== undefined) {
      if (plain.trim() === '') continue;
      if (open.length === 1) return undefined;
      add(inside.node, '_text', decoded(plain));
    } else if (name !== undefined && slash === '/') {
      if (inside.name !== name || open.length === 1) return undefined;
      open.pop();
    } else if (name !== undefined) {
      const node = withAttributes(attributes);
      add(inside.node, name, node);
      if (isEmpty !== '/') open.push({ name, node });
      if (open.length > DEPTH_MAX) return undefined;
    }
  }
  return open.length === 1 && root.size > 0 ? { value: objectOf(root) } : undefined;
}

function noteInstruction(node: Node, name: string, given: string): void {
  if (name === 'xml') node.set('_declaration', withAttributes(given));
  else add(node, '_instruction', new Map([[name, given]]));
}

function withAttributes(text: string): Node {
  const pairs = [...text.matchAll(ATTRIBUTE)].map(
    ([, name = '', double, single]) => [name, decoded(double ?? single ?? '')] as const,
  );
  return new Map(pairs.length === 0 ? [] : [['_attributes', new Map<string, unknown>(pairs)]]);
}

/** Several of a name are a list. */
function add(node: Node, name: string, value: unknown): void {
  const known = node.get(name);
  if (known === undefined) node.set(name, value);
  else if (Array.isArray(known)) known.push(value);
  else node.set(name, [known, value]);
}

/** A member named __proto__ is one like any other. */
function objectOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(objectOf);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...(value as Node)].map(([name, each]) => [name, objectOf(each)]));
}

function decoded(text: string): string {
  return text.replaceAll(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
