/** Why a pair can never act, whatever the request, in terms that a person can act on. */
import { isObject } from '../base/json-object.ts';
import type { RuleType } from '../model/record-id.ts';
import type { PairObject } from '../model/pairs/pair-kind.ts';
import { UNABLE, type RuleAbilities, type Unable } from '../model/rule-abilities.ts';
import { compileFilters } from './filters.ts';
import { keyOf, operatorOf } from './source.ts';

interface Problem {
  /** JSON pointer into the pair. */
  readonly path: string;
  readonly text: string;
  /** Whether it alone keeps the pair off: of several values of a filter the others may hold. */
  readonly isNever: boolean;
  /** Where an option of the server would let the pair act. */
  readonly code?: Unable;
}

/** @param pair Valid, as it is stored. */
export function neverActs(ruleType: RuleType, pair: PairObject, abilities: RuleAbilities): readonly Problem[] {
  const { filters, ...source } = (pair.source ?? {}) as Record<string, unknown>;
  const ofSource = neverMatches(source);
  const { problems, isNever } = filters === undefined ? NO_FILTERS : compileFilters(filters);
  return [
    ...(ofSource === undefined ? [] : [{ path: '/source/value', text: ofSource, isNever: true }]),
    ...problems.map((text) => ({ path: '/source/filters', text, isNever })),
    ...unable(ruleType, pair, abilities),
  ];
}

/** Problems that an option of the server would solve. */
function unable(ruleType: RuleType, pair: PairObject, { readsFiles, runsCode }: RuleAbilities): readonly Problem[] {
  const off = (code: Unable, path: string): Problem[] => [{ path, text: UNABLE[code], isNever: true, code }];
  if (ruleType === 'Redirect') {
    return pair.destinationType === 'map_local' && !readsFiles ? off('filesOff', '/destination') : [];
  }
  const { member, type } = programOf(ruleType, pair);
  return type === 'code' && !runsCode ? off('codeOff', `${member}/value`) : [];
}

/** Where a pair has a body or a program, in either dialect. */
function programOf(ruleType: RuleType, pair: PairObject): { readonly member: string; readonly type?: unknown } {
  const name = ruleType === 'Request' ? 'request' : ruleType === 'Response' ? 'response' : undefined;
  if (name === undefined) return { member: '' };
  const inner = pair[name];
  return isObject(inner) ? { member: `/${name}`, type: inner['type'] } : { member: '', type: pair['type'] };
}

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

const NO_FILTERS = { problems: [], isNever: false };

function neverMatches({ key, operator: given, value }: Record<string, unknown>): string | undefined {
  const operator = operatorOf(given);
  if (typeof value !== 'string' || value === '' || operator === 'Matches') return undefined;
  if (value.includes('#')) return 'requests have no fragment: leave out the "#" and what follows it';
  const isWhole = operator !== 'Contains' && !(operator === 'Wildcard_Matches' && value.startsWith('*'));
  switch (keyOf(key)) {
    case 'url': {
      if (/^[a-z]+:\/\/[^/?*]*@/i.test(value)) return 'requests have no user or password in their URL: leave them out';
      const [, scheme] = SCHEME.exec(value) ?? [];
      if (scheme !== undefined && !/^(?:https?|wss?)$/i.test(scheme)) return `no request has the scheme ${scheme}`;
      if (isWhole && scheme === undefined && !/^[a-z]*\*/i.test(value)) {
        return 'a URL begins with http:// or https://: add it, or use the operator Contains';
      }
      return undefined;
    }
    case 'host':
      if (value.includes('/')) return 'a host has no scheme and no path: leave them out, or use the key Url';
      return undefined;
    case 'path':
      if (value.includes('?') && operator !== 'Wildcard_Matches') return 'a path has no query: use the key Url';
      if (isWhole && !value.startsWith('/')) return 'a path begins with "/"';
      return undefined;
  }
}
