/** Adds, removes and overwrites query parameters. All others stay byte for byte. */
import { RULE_URL_CHARS_MAX } from '../../limits.ts';
import { fillText, mayFill } from '../expand-groups.ts';
import { take } from '../../languages/work-budget.ts';
import { excerpt } from '../../base/excerpt.ts';
import {
  appendParameter,
  hasParameter,
  overwriteParameter,
  parseQuery,
  printQuery,
  removeParameter,
  type Parameters,
} from '../query-string.ts';
import type { Stage } from '../stage.ts';
import { withQuery, type WireUrl } from '../wire-url.ts';
import { changeUrl } from './change-url.ts';
import type { RuleKind } from './rule-kind.ts';

interface Modification {
  readonly param: string;
  readonly type: 'Add' | 'Overwrite' | 'Ignore' | 'Remove' | 'Remove All';
  readonly value: string;
}

type QueryParam = readonly Modification[];

export const queryParam: RuleKind<QueryParam> = {
  phases: ['url'],
  acting: 'all',
  normalise: ({ modifications }) =>
    (modifications as Record<string, unknown>[]).map(({ param, type, value, actionWhenParamExists }) => ({
      param: String(param),
      type: modificationType(type, actionWhenParamExists),
      value: typeof value === 'string' ? value : '',
    })),
  apply(shape, stage) {
    const next = modified(shape, stage);
    return isAllowed(next) && changeUrl(stage, next);
  },
  explain(shape, stage) {
    if (isAllowed(modified(shape, stage))) {
      const asked = shape.map(({ type, param }) => `${type} ${param}`.trim()).join(', ');
      return { reason: 'noChange', expected: excerpt(`a query changed by ${asked}`), actual: excerpt(stage.url.text) };
    }
    return { reason: 'destinationInvalid', expected: `a URL of at most ${RULE_URL_CHARS_MAX} characters` };
  },
};

function modificationType(type: unknown, whenExists: unknown): Modification['type'] {
  if (type !== 'Add') return type === 'Remove All' ? 'Remove All' : 'Remove';
  return whenExists === 'Overwrite' || whenExists === 'Ignore' ? whenExists : 'Add';
}

/** Work of comparing a parameter's name, which may have to be decoded, in units of RULE_WORK_MAX. */
const PARAMETER_WORK = 40;

function isAllowed({ text }: WireUrl): boolean {
  return text.length <= RULE_URL_CHARS_MAX;
}

function modified(modifications: QueryParam, stage: Stage): WireUrl {
  const { url, budget, groups } = stage;
  let parameters = parseQuery(url.query);
  for (const modification of modifications) {
    const work = 1 + url.text.length + parameters.length * PARAMETER_WORK + modification.value.length;
    if (!take(budget, work)) return url;
    const { value } = modification;
    const text = mayFill(value) ? fillText(value, groups, stage, RULE_URL_CHARS_MAX, budget) : value;
    if (text === undefined) return url;
    parameters = modify(parameters, { ...modification, value: text });
  }
  const query = printQuery(parameters);
  // A "?" without parameters is left as it is.
  return query === url.query || (query === undefined && url.query === '') ? url : withQuery(url, query);
}

function modify(parameters: Parameters, { type, param, value }: Modification): Parameters {
  switch (type) {
    case 'Add':
      return appendParameter(parameters, param, value);
    case 'Overwrite':
      return overwriteParameter(parameters, param, value);
    case 'Ignore':
      return hasParameter(parameters, param) ? parameters : appendParameter(parameters, param, value);
    case 'Remove':
      return removeParameter(parameters, param);
    case 'Remove All':
      return [];
  }
}
