/** Initial routes and responses, and rows that are added, moved and left blank. */
import type { HeaderLine, MockResponse, MockRoute, StreamEvent } from '../../../model/mocks/definition/definition.ts';
import { isSame } from '../../state/merge.ts';
import type { MatchCondition, Condition, ConditionGroup } from '../../../model/mocks/definition/condition-schema.ts';

/** In the server's form, which keeps given ids. */
export const newId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return [...bytes].map((byte) => (byte % 36).toString(36)).join('');
};

export const newResponse = (given: Partial<MockResponse> = {}): MockResponse => ({
  id: newId(),
  label: '',
  status: 200,
  headers: [],
  body: '',
  bodyEncoding: 'text',
  latency: 0,
  default: false,
  rules: [],
  rulesOperator: 'AND',
  templated: false,
  weight: 1,
  ...given,
});

export const newRoute = (given: Partial<MockRoute> = {}): MockRoute => ({
  id: newId(),
  method: 'GET',
  path: '/',
  description: '',
  enabled: true,
  selection: 'rules',
  responses: [newResponse()],
  ...given,
});

/** @returns "posts" of "/v1/users/:userId/posts"; "items" where the path has no such segment. */
export const storeNameOf = (path: string): string =>
  path.split('/').findLast((segment) => /^[\w-]+$/.test(segment)) ?? 'items';

/** A copy with new ids. */
export const copyOf = (route: MockRoute): MockRoute => ({
  ...route,
  id: newId(),
  responses: route.responses.map((response) => ({ ...response, id: newId() })),
});

export const NEW_HEADER: HeaderLine = { name: '', value: '' };
/** An empty event of a stream: the server refuses it until it has data. */
export const NEW_EVENT: StreamEvent = {};
export const NEW_RULE: MatchCondition = { target: 'query', property: '', operator: 'equals', value: '', invert: false };

export const NEW_GROUP: ConditionGroup = { all: [{ ...NEW_RULE, property: 'name' }] };

const isBlankHeader = ({ name, value }: HeaderLine): boolean => name === '' && value === '';
export const isBlankRule = (rule: Condition): boolean => isSame(rule, NEW_RULE);
const isBlankEvent = (event: StreamEvent): boolean => isSame(event, NEW_EVENT);

/** Removes blank rows. @returns The same route when there are none. */
export function withoutBlanks(route: MockRoute): MockRoute {
  const hasBlanks = route.responses.some(
    ({ headers, rules, stream }) =>
      headers.some(isBlankHeader) || rules.some(isBlankRule) || stream?.events.some(isBlankEvent) === true,
  );
  if (!hasBlanks) return route;
  return {
    ...route,
    responses: route.responses.map((response) => ({
      ...response,
      headers: response.headers.filter((line) => !isBlankHeader(line)),
      rules: response.rules.filter((rule) => !isBlankRule(rule)),
      ...(response.stream === undefined
        ? {}
        : {
            stream: { ...response.stream, events: response.stream.events.filter((event) => !isBlankEvent(event)) },
          }),
    })),
  };
}
