/** A body as it was received, read as a JSON object. */
import type { JsonObject } from '../base/json-object.ts';
import { isJsonProblem, parseStrictJson } from '../base/strict-json.ts';
import { refuse, type RefusalKind } from '../errors.ts';
import { JSON_DEPTH_MAX } from '../limits.ts';
import type { Body } from './command.ts';

/** @param invalid The refusal of what is no JSON object. @param bytes Only read during the call. */
export function parseBody(bytes: Buffer, invalid: RefusalKind): Body {
  const parsed = parseStrictJson(bytes, JSON_DEPTH_MAX);
  if (isJsonProblem(parsed)) return refuse(invalid, [{ path: '', message: parsed.problem }]);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(invalid, [{ path: '', message: 'the body must be a JSON object' }]);
  }
  return value as JsonObject;
}
