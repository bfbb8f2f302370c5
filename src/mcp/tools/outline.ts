/**
 * A schema of the API in the short form in which it is listed: the tool list is read with every conversation. The
 * endpoint that the tool calls checks what is sent by the whole schema, and says what is wrong where.
 */
import type { TSchema } from 'typebox';
import { Type } from '../../model/schema-type.ts';

const KEPT = new Set(['type', 'enum', 'const', 'required']);
/** Bound of a description. */
const CHARS_MAX = 42;

/**
 * @param levels Of members that are listed; those below are "an object" or "an array".
 * @typeParam Schema Its static type stays.
 */
export function outlined<Schema extends TSchema>(schema: Schema, levels: number): Schema {
  return outline(schema as unknown as Node, levels) as unknown as Schema;
}

/** The same of each member, for the members of a tool's input. */
export function outlinedMembers<Members extends Record<string, TSchema>>(
  { properties, required = [] }: { properties: Members; required?: readonly string[] | undefined },
  levels: number,
): Members {
  const entries = Object.entries(properties).map(([name, member]) => {
    const short = outlined(member, levels);
    return [name, required.includes(name) ? short : Type.Optional(short)];
  });
  return Object.fromEntries(entries) as Members;
}

interface Node {
  readonly [keyword: string]: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}

function outline(node: Node, levels: number): Node {
  const kept = Object.fromEntries(Object.entries(node).filter(([keyword]) => KEPT.has(keyword)));
  const { description, properties, items, anyOf } = node;
  const short = description === undefined ? {} : { description: shortened(description) };
  if (levels === 0) {
    const { required: _required, ...open } = kept;
    return { ...open, ...short };
  }
  return {
    ...kept,
    ...short,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [name, outline(member, levels - 1)]),
          ),
        }),
    ...(items === undefined ? {} : { items: outline(items, levels - 1) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((each) => outline(each, levels - 1)) }),
  };
}

/** Its first sentence, or what fits of it. */
function shortened(text: string): string {
  const [sentence = ''] = text.split(/(?<=\.) |; /);
  return sentence.length <= CHARS_MAX ? sentence : `${sentence.slice(0, sentence.lastIndexOf(' ', CHARS_MAX))} …`;
}
