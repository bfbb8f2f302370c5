/** Reads a body that must fit a schema, for endpoints that take a question rather than a record. */
import type { Static, TSchema } from 'typebox';
import { isRefusal, type Refusal, type RefusalKind } from '../errors.ts';
import { parseBody } from '../model/json-body.ts';
import { compileCheck, refusalOf } from '../model/validate.ts';
import type { EndpointBody } from './endpoint.ts';

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

/** A body that must fit a schema, and nothing more. @param problemOf Finds a mistake that the schema cannot. */
export function checkedBody<Schema extends TSchema>(
  schema: Schema,
  invalid: RefusalKind,
  bytesMax: number,
  examples: Readonly<Record<string, object>>,
  problemOf?: (sent: Static<Schema>) => Refusal | undefined,
): EndpointBody<Static<Schema>> {
  const read = checkedReader(schema, invalid);
  return {
    schema,
    examples,
    bytesMax,
    invalid,
    read(bytes) {
      const sent = read(bytes);
      return isRefusal(sent) ? sent : (problemOf?.(sent) ?? sent);
    },
  };
}
