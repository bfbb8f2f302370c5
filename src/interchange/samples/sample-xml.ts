/**
 * A sampled value as XML, as OpenAPI's `xml` says: names of elements, attributes, wrapped arrays. For what is sent as XML alone.
 */
import { isObject } from '../../base/json-object.ts';
import type { Resolve } from './run.ts';

type Json = Readonly<Record<string, unknown>>;

/** References and members of `allOf` that are followed to find what a schema says of XML. */
const SCHEMAS_MAX = 64;

/**
 * @param name    The name of the root element, unless the schema gives one.
 * @param value   As sampled: its depth is bounded.
 * @param resolve The schema that a reference names, or undefined.
 */
export function sampleXml(name: string, value: unknown, schema?: unknown, resolve: Resolve = () => undefined): string {
  const parts = partsOf(schema, resolve);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${rootOf(elementName(name, parts), value, parts, resolve)}`;
}

/** An array at the top is wrapped always: a document has one root. */
function rootOf(name: string, value: unknown, parts: readonly Json[], resolve: Resolve): string {
  if (!Array.isArray(value)) return element(name, value, parts, resolve);
  return tagged(name, '', itemsOf(name, value, parts, resolve));
}

/** The schema with all that its `$ref` and `allOf` lead to. */
function partsOf(schema: unknown, resolve: Resolve): Json[] {
  const found = new Set<Json>();
  const waiting = [schema];
  while (waiting.length > 0 && found.size < SCHEMAS_MAX) {
    const next = waiting.shift();
    if (!isObject(next) || found.has(next)) continue;
    found.add(next);
    if (typeof next.$ref === 'string') waiting.push(resolve(next.$ref));
    for (const keyword of ['allOf', 'oneOf', 'anyOf']) {
      if (Array.isArray(next[keyword])) waiting.push(...next[keyword].slice(0, SCHEMAS_MAX));
    }
  }
  return [...found];
}

function property(parts: readonly Json[], name: string): unknown {
  for (const { properties, additionalProperties } of parts) {
    if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name];
    if (isObject(additionalProperties)) return additionalProperties;
  }
  return undefined;
}

/** Reads a member of the schema below `xml`. */
function facet(parts: readonly Json[], name: string): unknown {
  for (const { xml } of parts) if (isObject(xml) && Object.hasOwn(xml, name)) return xml[name];
  return undefined;
}

function elementName(name: string, parts: readonly Json[]): string {
  const own = facet(parts, 'name');
  const prefix = facet(parts, 'prefix');
  const local = cleanName(typeof own === 'string' ? own : name);
  return typeof prefix === 'string' && prefix !== '' ? `${cleanName(prefix)}:${local}` : local;
}

/** Replaces characters that no name may have. */
function cleanName(name: string): string {
  const cleaned = name.slice(0, 200).replaceAll(/[^\w.-]/g, '_');
  return /^[A-Za-z_]/.test(cleaned) ? cleaned : `_${cleaned}`;
}

function element(name: string, value: unknown, parts: readonly Json[], resolve: Resolve): string {
  if (!isObject(value)) return tagged(name, namespace(parts), textOf(value));
  let attributes = namespace(parts);
  let content = '';
  for (const [key, child] of Object.entries(value)) {
    const childParts = partsOf(property(parts, key), resolve);
    if (facet(childParts, 'attribute') === true && typeof child !== 'object')
      attributes += ` ${elementName(key, childParts)}="${textOf(child)}"`;
    else
      content += Array.isArray(child)
        ? list(key, child, childParts, resolve)
        : element(elementName(key, childParts), child, childParts, resolve);
  }
  return tagged(name, attributes, content);
}

function list(key: string, items: readonly unknown[], parts: readonly Json[], resolve: Resolve): string {
  if (facet(parts, 'wrapped') !== true) return itemsOf(cleanName(key), items, parts, resolve);
  return tagged(elementName(key, parts), namespace(parts), itemsOf(cleanName(key), items, parts, resolve));
}

/** Elements are named by the schema of the items; the name of an array is that of its wrapper. */
function itemsOf(name: string, items: readonly unknown[], parts: readonly Json[], resolve: Resolve): string {
  const itemParts = partsOf(parts.find((part) => part.items !== undefined)?.items, resolve);
  return items.map((item) => rootOf(elementName(name, itemParts), item, itemParts, resolve)).join('');
}

function namespace(parts: readonly Json[]): string {
  const uri = facet(parts, 'namespace');
  if (typeof uri !== 'string') return '';
  const prefix = facet(parts, 'prefix');
  return ` xmlns${typeof prefix === 'string' && prefix !== '' ? `:${cleanName(prefix)}` : ''}="${escaped(uri)}"`;
}

function tagged(name: string, attributes: string, content: string): string {
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
}

function textOf(value: unknown): string {
  return value === null || value === undefined
    ? ''
    : escaped(typeof value === 'string' ? value : JSON.stringify(value));
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML cannot have are left out. */
function escaped(text: string): string {
  return Array.from(text.toWellFormed(), (char) =>
    (char < ' ' && !'\t\n\r'.includes(char)) || char === '\ufffe' || char === '\uffff' ? '' : (ESCAPES[char] ?? char),
  ).join('');
}
