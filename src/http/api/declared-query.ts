/** Reads a query of texts, booleans, whole numbers and enumerated values by its schema. What is not in the schema is refused: misspelt, it would have no effect. */
import type { Static, TObject, TSchema } from 'typebox';
import { refuse, type Detail, type Refusal } from '../../errors.ts';
import { EXPECTED } from '../../model/schema-type.ts';
import { quoteValue } from '../../model/validate.ts';
import { onlyValue, unknownParameters } from './list-query.ts';

/** Reads the text of a parameter that its schema says too little of. What is wrong with it goes into `details`. */
type ReadParameter<Value> = (text: string, details: Detail[]) => Value | undefined;

type Readers = Readonly<Record<string, ReadParameter<unknown>>>;

/** The parameters that are given: as their schema says, but for those with readers of their own. */
export type Given<Schema extends TObject, Own extends Readers> = Omit<Static<Schema>, keyof Own> & {
  [Name in keyof Own & keyof Static<Schema>]?: NonNullable<ReturnType<Own[Name]>>;
};

export function readDeclaredQuery<Schema extends TObject, Own extends Readers = Record<'', never>>(
  query: string,
  schema: Schema,
  own?: Own,
): Given<Schema, Own> | Refusal {
  const given = new URLSearchParams(query);
  const details: Detail[] = unknownParameters(given, schema);
  const found: Record<string, unknown> = {};
  for (const [name, declared] of Object.entries(schema.properties)) {
    const text = onlyValue(given, name, details);
    if (text === undefined) continue;
    const read = own?.[name] ?? declaredReader(name, declared);
    const value = read(text, details);
    if (value !== undefined) found[name] = value;
  }
  return details.length > 0 ? refuse('badRequest', details) : (found as Given<Schema, Own>);
}

function declaredReader(name: string, declared: TSchema): ReadParameter<string | boolean | number> {
  return (text, details) => {
    const problem = problemOf(text, declared);
    if (problem !== undefined) return void details.push(unexpected(name, problem, text));
    if (typeOf(declared) === 'integer') return Number(text);
    return typeOf(declared) === 'boolean' ? text === 'true' : text;
  };
}

/** @param expected Follows the word "expected". */
export function unexpected(path: string, expected: string, got: string): Detail {
  return { path, message: `expected ${expected}${expected.includes(',') ? ';' : ','} got ${quoteValue(got)}` };
}

function problemOf(text: string, declared: TSchema): string | undefined {
  const { enum: values, maxLength, pattern, minimum = 0, maximum, description, [EXPECTED]: said } = declared as Facts;
  if (typeOf(declared) === 'integer') {
    const isIn = /^\d{1,16}$/.test(text) && Number(text) >= minimum && Number(text) <= (maximum ?? Infinity);
    if (isIn) return undefined;
    return maximum === undefined ? `an integer of ${minimum} or more` : `a whole number from ${minimum} to ${maximum}`;
  }
  if (typeOf(declared) === 'boolean') return text === 'true' || text === 'false' ? undefined : 'true or false';
  if (values !== undefined && !values.includes(text)) return `one of ${values.join(', ')}`;
  if (pattern !== undefined && !new RegExp(pattern).test(text)) return said ?? description ?? pattern;
  return maxLength !== undefined && text.length > maxLength ? `at most ${maxLength} characters` : undefined;
}

interface Facts {
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly [EXPECTED]?: string;
}

function typeOf(declared: TSchema): string | undefined {
  return (declared as { type?: string }).type;
}
