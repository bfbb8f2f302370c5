/**
 * The schemas that one value must fit together: a schema with all that its `$ref` and `allOf` lead to, in their order, each once.
 *
 * Collected without recursion: a chain may be as long as the file, and a circle of them ends where it began.
 */
import { Cut, isJson, NOTHING_FITS, TOO_LARGE, type Json, type SampleRun } from './run.ts';

export interface Parts {
  readonly all: readonly Json[];
  /** How many of the first are the schema itself and what its `$ref` names, not what it takes in by `allOf`. */
  readonly own: number;
  /** The last part of the reference that names the schema. */
  readonly name: string | undefined;
  readonly ref: string | undefined;
}

/** Members that say nothing of the value. */
const SILENT = new Set(['$ref', 'allOf', 'title', 'description', 'summary', '$comment', 'x-nullable', 'readOnly']);

export function partsOf(run: SampleRun, schema: unknown): Parts | Cut {
  const all: Json[] = [];
  const seen = new Set<unknown>();
  const waiting: { readonly schema: unknown; readonly own: boolean }[] = [{ schema, own: true }];
  let own = 0;
  let ref: string | undefined;
  let unresolved: Cut | undefined;
  while (waiting.length > 0) {
    const next = waiting.pop() as (typeof waiting)[number];
    if (!run.step()) return TOO_LARGE;
    if (next.schema === false) return NOTHING_FITS;
    if (!isJson(next.schema) || seen.has(next.schema)) continue;
    const part = next.schema;
    seen.add(part);
    all.push(part);
    if (next.own) own = all.length;
    if (Array.isArray(part.allOf)) {
      for (let at = part.allOf.length - 1; at >= 0; at--) waiting.push({ schema: part.allOf[at], own: false });
    }
    if (typeof part.$ref !== 'string') continue;
    const target = run.resolve(part.$ref);
    if (target === undefined) unresolved ??= new Cut(`the reference ${part.$ref.slice(0, 100)} leads nowhere`);
    else waiting.push({ schema: target, own: next.own });
    if (next.own) ref = part.$ref;
  }
  if (unresolved !== undefined) {
    if (all.every(isSilent)) return unresolved;
    run.note(unresolved);
  } else if (ref !== undefined && all.every(({ $ref }) => typeof $ref === 'string') && all.every(isSilent))
    return new Cut('a reference leads back to itself');
  return { all, own, ref, name: ref === undefined ? undefined : lastPart(ref) };
}

function isSilent(part: Json): boolean {
  return Object.keys(part).every((name) => SILENT.has(name));
}

function lastPart(ref: string): string {
  return ref
    .slice(ref.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
}
