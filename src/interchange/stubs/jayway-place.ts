/** JSONPaths of WireMock and MockServer, which the same library reads. */
import { compileJayway, JAYWAY } from '../../languages/jayway/jayway-path.ts';
import type { RulePlace } from './stub-rules.ts';

/** @returns What a path finds in a body; the reason why it is not supported. */
export function jaywayPlace(path: string): { readonly place: RulePlace; readonly isDefinite: boolean } | string {
  const compiled = compileJayway(path);
  if (typeof compiled === 'string') return `the JSONPath ${path}: ${compiled}`;
  return { place: { target: 'body', property: `${JAYWAY}${path}` }, isDefinite: compiled.isDefinite };
}
