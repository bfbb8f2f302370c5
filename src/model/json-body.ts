/** Parses a received body as a JSON object. */
import type { JsonObject } from '../base/json-object.ts';
import { isJsonProblem, parseStrictJson } from '../base/strict-json.ts';
import { refuse, type Refusal, type RefusalKind } from '../errors.ts';
import { JSON_DEPTH_MAX } from '../limits.ts';
import type { Body } from './command.ts';

/** @param invalid The kind of refusal for anything else. @param bytes Read only during the call. */
export function parseBody(bytes: Buffer, invalid: RefusalKind, areNumbersExact = true): Body {
  const parsed = parseStrictJson(bytes, JSON_DEPTH_MAX, areNumbersExact);
  if (isJsonProblem(parsed)) return refuse(invalid, [{ path: '', message: parsed.problem }]);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return noObject(invalid);
  }
  return value as JsonObject;
}

/** The message for a body that is empty or not an object. */
export function noObject(invalid: RefusalKind): Refusal {
  return refuse(invalid, [{ path: '', message: 'the body must be a JSON object' }]);
}
