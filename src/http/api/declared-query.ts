/** Reads a query of texts, booleans, whole numbers and enumerated values by its schema. What is not in the schema is refused: misspelt, it would have no effect. */
import type { Static, TObject, TSchema } from 'typebox';
import { refuse, type Detail, type Refusal } from '../../errors.ts';
import { quoteValue } from '../../model/validate.ts';
import { onlyValue, unknownParameters } from './list-query.ts';

/** @returns The parameters that are given. */
export function readDeclaredQuery<Schema extends TObject>(query: string, schema: Schema): Static<Schema> | Refusal {
  const given = new URLSearchParams(query);
  const details: Detail[] = unknownParameters(given, schema);
  const found: Record<string, string | boolean | number> = {};
  for (const [name, declared] of Object.entries(schema.properties)) {
    const text = onlyValue(given, name, details);
    if (text === undefined) continue;
    const problem = problemOf(text, declared);
    if (problem === undefined) found[name] = parseValue(text, declared);
    else details.push({ path: name, message: `${problem}; got ${quoteValue(text)}` });
  }
  return details.length > 0 ? refuse('badRequest', details) : (found as Static<Schema>);
}

function parseValue(text: string, declared: TSchema): string | boolean | number {
  if (isInteger(declared)) return Number(text);
  return isBoolean(declared) ? text === 'true' : text;
}

function problemOf(text: string, declared: TSchema): string | undefined {
  const {
    enum: values,
    maxLength,
    pattern,
    description,
  } = declared as { enum?: readonly string[]; maxLength?: number; pattern?: string; description?: string };
  if (isInteger(declared)) {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = declared as { minimum?: number; maximum?: number };
    const isIn = /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
    return isIn ? undefined : `expected a whole number from ${minimum} to ${maximum}`;
  }
  if (isBoolean(declared)) return text === 'true' || text === 'false' ? undefined : 'expected true or false';
  if (values !== undefined && !values.includes(text)) return `expected one of ${values.join(', ')}`;
  if (pattern !== undefined && !new RegExp(pattern).test(text)) return `expected ${description ?? pattern}`;
  return maxLength !== undefined && text.length > maxLength ? `expected at most ${maxLength} characters` : undefined;
}

function isBoolean(declared: TSchema): boolean {
  return (declared as { type?: string }).type === 'boolean';
}

function isInteger(declared: TSchema): boolean {
  return (declared as { type?: string }).type === 'integer';
}
