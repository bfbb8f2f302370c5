/**
 * Makes stored values of valid ones, as their schemas say: members in one order, whatever order they were sent in, with their defaults or
 * without. Stored values are compared as JSON, so that sending the same again is not a change.
 *
 * For edits and imports, never for a request to a mock.
 */
import type { TSchema } from 'typebox';
import { isObject } from '../base/json-object.ts';
import { absenceOf, LAST, NORMALISE, type Node } from './schema-type.ts';
import type { Defaults, Value } from './schema-value.ts';

type Normalise = (value: unknown) => unknown;

/** @returns A function for values that the schema allows. It shares with them what is the same. */
export function normaliser<S extends TSchema>(schema: S): (valid: unknown) => Value<S> {
  return (ofNode(schema) ?? ((valid) => valid)) as (valid: unknown) => Value<S>;
}

export function defaultsOf<S extends TSchema>(schema: S): Defaults<S> {
  const { properties = {} }: Node = schema;
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, member]) => ('default' in member ? [[name, member.default]] : [])),
  ) as Defaults<S>;
}

/** Members of a stored value that differ from what would be stored without them, in their order. */
export function withoutDefaults(schema: TSchema, stored: object): Record<string, unknown> {
  const { properties = {} }: Node = schema;
  return Object.fromEntries(
    Object.entries(stored).filter(([name, value]) => {
      const absence = absenceOf(properties[name] ?? {});
      const usual = absence?.kind === 'filled' ? absence.fill() : undefined;
      return JSON.stringify(value) !== JSON.stringify(usual);
    }),
  );
}

/** @returns Undefined where values are stored as they are. */
function ofNode(node: Node): Normalise | undefined {
  if (node[NORMALISE] !== undefined) return node[NORMALISE];
  if (node.properties !== undefined) return ofObject(node, node.properties);
  if (node.items !== undefined) return ofList(node.items);
  const [list, object] = ['array', 'object'].map((type) => {
    const kind = node.anyOf?.find((each) => each.type === type);
    return kind && ofNode(kind);
  });
  if (list === undefined && object === undefined) return undefined;
  return (value) => (Array.isArray(value) ? (list?.(value) ?? value) : (object?.(value) ?? value));
}

function ofList(items: Node): Normalise | undefined {
  const item = ofNode(items);
  return item && ((list) => (list as readonly unknown[]).map(item));
}

/** The values may be of another type too. */
function ofObject({ [LAST]: last = [] }: Node, properties: NonNullable<Node['properties']>): Normalise {
  const names = [...Object.keys(properties).filter((name) => !last.includes(name)), ...last];
  const members = names.map((name) => {
    const schema = properties[name] as Node;
    return { name, absence: absenceOf(schema), normalise: ofNode(schema), implied: schema.default };
  });
  return (given) => {
    if (!isObject(given)) return given;
    const stored: Record<string, unknown> = {};
    for (const { name, absence, normalise, implied } of members) {
      const sent = given[name];
      const isImplied =
        absence?.kind === 'implicit' && (sent === implied || (Array.isArray(sent) && sent.length === 0));
      if (sent !== undefined) {
        if (!isImplied) stored[name] = normalise === undefined ? sent : normalise(sent);
      } else if (absence?.kind === 'filled') stored[name] = absence.fill();
    }
    return stored;
  };
}
