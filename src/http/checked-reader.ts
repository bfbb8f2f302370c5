/** Reads a body that must fit a schema, for endpoints that take a question rather than a record. */
import type { Static, TSchema } from 'typebox';
import { isRefusal, type Refusal, type RefusalKind } from '../errors.ts';
import { parseBody } from '../model/json-body.ts';
import { compileCheck, refusalOf } from '../model/validate.ts';

/** @returns `read` of an endpoint's body (endpoint.ts). */
export function checkedReader<Schema extends TSchema>(
  schema: Schema,
  invalid: RefusalKind,
): (bytes: Buffer) => Static<Schema> | Refusal {
  const check = compileCheck(schema);
  return (bytes) => {
    const body = parseBody(bytes, invalid);
    if (isRefusal(body)) return body;
    const problems = check(body, '');
    return problems === undefined ? (body as Static<Schema>) : refusalOf(problems, invalid);
  };
}
