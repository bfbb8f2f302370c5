/** Paths of Mockoon as those of routes, and the conditions that some have behind a fragment. */
import type { ReadRule } from '../../format.ts';
import type { StubPath } from '../../stubs/stub-path.ts';
import { olderPath } from './older-path.ts';
import { namesIn, parsePath, pathOfTokens } from './path-tokens.ts';

interface EndpointPath extends StubPath {
  /** Whether Mockoon's newest server answers it: older ones had further forms. */
  readonly isAnswered: boolean;
  /** Whether it has letters, whose case Mockoon ignores. */
  readonly hasCase: boolean;
  /** Parameters whose values are lists of segments. */
  readonly wildcards: ReadonlySet<string>;
  /** Conditions for a fragment or a query in the path. */
  readonly rules: readonly ReadRule[];
}

/** With one slash in front, and none twice. */
export function joinedPath(prefix: string, endpoint: string): string {
  return `/${prefix}/${endpoint.replaceAll(' ', '%20')}`.replaceAll(/\/{2,}/g, '/');
}

/** Behind "?" names have values: without one it says that a part is optional. */
const CONDITION =
  /^([^#?]*)(?:#([A-Za-z_][\w.:-]*(?:=[^#&]*)?(?:&[A-Za-z_][\w.:-]*(?:=[^#&]*)?)*)|\?([A-Za-z_][\w.:-]*=[^#&]*(?:&[A-Za-z_][\w.:-]*=[^#&]*)*))$/;

export function endpointPath(joined: string): EndpointPath {
  const [, path = joined, inFragment, inQuery] = CONDITION.exec(joined) ?? [];
  const condition = inFragment ?? inQuery;
  const tokens = parsePath(path === '' ? '/' : path);
  return {
    ...(tokens === undefined ? olderPath(path === '' ? '/' : path) : pathOfTokens(tokens)),
    isAnswered: tokens !== undefined,
    hasCase: /[A-Za-z]/.test(path.replaceAll(/[:*][A-Za-z_$][\w$]*|\\./g, '')),
    wildcards: new Set(tokens === undefined ? [] : namesIn(tokens, 'wildcard')),
    rules: condition === undefined ? [] : condition.split('&').map(ruleOf),
  };
}

/** A header where it looks like one, else a parameter of the query or of a form. */
function ruleOf(text: string): ReadRule {
  const [property = '', value] = text.split(/=(.*)/s);
  const operator = value === undefined ? 'exists' : 'equals';
  const of = (target: string): ReadRule => ({ target, property, operator, ...(value === undefined ? {} : { value }) });
  return /^x-/i.test(property) ? of('header') : { any: [of('query'), of('body')] };
}
