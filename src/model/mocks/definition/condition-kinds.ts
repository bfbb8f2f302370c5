/** Which operators and properties fit which targets, for edit checks and the form of the console: without schemas, which the console avoids. */
import type { ConditionOperator, ConditionTarget } from './definition.ts';

/** Targets that have no parts, and so no `property`. */
const WHOLE_TARGETS: ReadonlySet<ConditionTarget> = new Set([
  'method',
  'path',
  'queryString',
  'requestNumber',
  'clientIp',
]);
const TEXT_OPERATORS: ReadonlySet<ConditionOperator> = new Set([
  'equals',
  'contains',
  'startsWith',
  'endsWith',
  'regex',
  'arrayIncludes',
  'only',
]);

/** Targets of which a recorded request says nothing, and why. */
const UNRECORDED_TARGETS: ReadonlyMap<ConditionTarget, string> = new Map([
  ['requestNumber', 'recorded requests do not keep their number within the route'],
  ['clientIp', 'recorded requests do not keep the client address'],
  ['store', 'recorded requests do not keep the state of stores'],
  ['global', 'recorded requests do not keep globals'],
]);

/** @returns Why a condition on it cannot be evaluated for recorded requests; undefined where it can. */
export const unrecordedReason = (target: ConditionTarget): string | undefined => UNRECORDED_TARGETS.get(target);
/** Targets that are read from the body: unknown where it was not recorded as a whole. */
export const readsBody = (target: ConditionTarget): boolean =>
  target === 'body' || target === 'files' || target === 'graphql' || target === 'message';
export const takesProperty = (target: ConditionTarget): boolean => !WHOLE_TARGETS.has(target);
export const mayIgnoreCase = (operator: ConditionOperator): boolean => TEXT_OPERATORS.has(operator);
export const mayIgnoreOrder = (operator: ConditionOperator): boolean =>
  operator === 'jsonEquals' || operator === 'jsonIncludes';
