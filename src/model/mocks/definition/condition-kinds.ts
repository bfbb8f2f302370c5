/** What fits what in a condition, for the checks of an edit and for the console's form: a file of its own, without schemas. */
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

export const takesProperty = (target: ConditionTarget): boolean => !WHOLE_TARGETS.has(target);
export const mayIgnoreCase = (operator: ConditionOperator): boolean => TEXT_OPERATORS.has(operator);
export const mayIgnoreOrder = (operator: ConditionOperator): boolean =>
  operator === 'jsonEquals' || operator === 'jsonIncludes';
