/** Edits of a route: plain functions from one to the next. Members that the console does not know stay. */
import type {
  HeaderLine,
  MatchRule,
  MockResponse,
  MockRoute,
  Rule,
  RuleGroup,
} from '../../../model/mocks/definition.ts';
import { isSame } from '../../state/merge.ts';

export function withResponse(route: MockRoute, index: number, response: MockResponse): MockRoute {
  return { ...route, responses: replaced(route.responses, index, response) };
}

export function replaced<Value>(values: readonly Value[], index: number, value: Value): readonly Value[] {
  return values.map((each, place) => (place === index ? value : each));
}

export function removed<Value>(values: readonly Value[], index: number): readonly Value[] {
  return values.filter((_, place) => place !== index);
}

export function inserted<Value>(values: readonly Value[], index: number, value: Value): readonly Value[] {
  return [...values.slice(0, index), value, ...values.slice(index)];
}

/** @returns The same values when it cannot be moved there. */
export function moved<Value>(values: readonly Value[], index: number, to: number): readonly Value[] {
  const value = values[index];
  if (value === undefined || to < 0 || to >= values.length) return values;
  return inserted(removed(values, index), to, value);
}

export const NEW_HEADER: HeaderLine = { name: '', value: '' };
export const NEW_RULE: MatchRule = { target: 'query', property: '', operator: 'equals', value: '', invert: false };

export const NEW_GROUP: RuleGroup = { all: [{ ...NEW_RULE, property: 'name' }] };

const isBlankHeader = ({ name, value }: HeaderLine): boolean => name === '' && value === '';
const isBlankRule = (rule: Rule): boolean => isSame(rule, NEW_RULE);

/** Without rows that nobody has filled in yet. @returns The same route when there are none. */
export function withoutBlanks(route: MockRoute): MockRoute {
  const hasBlanks = route.responses.some(
    ({ headers, rules }) => headers.some(isBlankHeader) || rules.some(isBlankRule),
  );
  if (!hasBlanks) return route;
  return {
    ...route,
    responses: route.responses.map((response) => ({
      ...response,
      headers: response.headers.filter((line) => !isBlankHeader(line)),
      rules: response.rules.filter((rule) => !isBlankRule(rule)),
    })),
  };
}
