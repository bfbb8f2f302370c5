/** Which operators and properties fit which targets, for edit checks and the form of the console: without schemas, which the console avoids. */
import type { ConditionOperator, ConditionTarget } from './condition-schema.ts';

/** Targets that have no parts, and so no `property`. */
const WHOLE_TARGETS: ReadonlySet<ConditionTarget> = new Set([
  'method',
  'path',
  'queryString',
  'requestNumber',
  'clientIp',
]);
/** Properties of the target `clientCert`. */
export const CERT_PROPERTIES = [
  'subject',
  'cn',
  'ou',
  'o',
  'issuer',
  'san',
  'san.dns',
  'san.uri',
  'san.email',
  'san.ip',
  'serial',
  'fingerprint',
] as const;
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
  ['clientCert', 'recorded requests keep of it the header x-forwarded-client-cert'],
  ['store', 'recorded requests do not keep the state of stores'],
  ['global', 'recorded requests do not keep globals'],
  ['template', 'recorded requests are not rendered'],
]);

/** @returns Why a condition on it cannot be evaluated for recorded requests; undefined where it can. */
export const unrecordedReason = (target: ConditionTarget): string | undefined => UNRECORDED_TARGETS.get(target);
/** Targets that are read from the body, or may be: unknown where it was not recorded as a whole. */
export const readsBody = (target: ConditionTarget): boolean =>
  target === 'body' || target === 'files' || target === 'graphql' || target === 'message' || target === 'template';
export const takesProperty = (target: ConditionTarget): boolean => !WHOLE_TARGETS.has(target);
const comparesJson = (operator: ConditionOperator): boolean => operator === 'jsonEquals' || operator === 'jsonIncludes';

interface ConditionFlag {
  readonly name: 'ignoreCase' | 'ignoreOrder' | 'extraItems' | 'placeholders';
  /** In the form of a condition. */
  readonly label: string;
  readonly fits: (operator: ConditionOperator) => boolean;
}

/**
 * Members of a condition that are absent when false, with the operators that they fit: texts of any case, arrays as sets with repetitions,
 * further items at their end, and texts such as "${json-unit.any-string}" that stand for values (json-placeholders.ts).
 */
export const CONDITION_FLAGS: readonly ConditionFlag[] = [
  { name: 'ignoreCase', label: 'any case', fits: (operator) => TEXT_OPERATORS.has(operator) },
  { name: 'ignoreOrder', label: 'any order', fits: comparesJson },
  { name: 'extraItems', label: 'more items', fits: (operator) => operator === 'jsonIncludes' },
  { name: 'placeholders', label: 'placeholders', fits: comparesJson },
];

export type ConditionFlags = Readonly<Partial<Record<ConditionFlag['name'], boolean>>>;

/** Those that are set. @param operator If given, only those that fit it. */
export function flagsOf(flags: ConditionFlags, operator?: ConditionOperator): ConditionFlags {
  const set = CONDITION_FLAGS.filter(
    ({ name, fits }) => flags[name] === true && (operator === undefined || fits(operator)),
  );
  return Object.fromEntries(set.map(({ name }) => [name, true]));
}
