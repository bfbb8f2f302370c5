/**
 * Our own file of a mock, made for git: members in a fixed order, defaults left out, stable ids, no dates, no owner.
 *
 * `bodyJson` stands for a body that is JSON without spaces, so that a person can read and change it: its text is what `JSON.stringify` makes.
 */
import { DEFAULT_LIMITS } from '../../limits.ts';
import { printJson } from '../../base/written-numbers.ts';
import { isObject } from '../../base/json-object.ts';
import type { Callback, MockResponse, MockRoute, MockSettings } from '../../model/mocks/definition/definition.ts';
import { isConditionGroup, mapGroup } from '../../model/mocks/definition/conditions.ts';
import { PART_ID, responseShape, routeShape, settingsShape } from '../../model/mocks/definition/schema.ts';
import { withoutDefaults } from '../../model/normalise.ts';
import { fromOldPath } from '../../model/mocks/definition/old-path.ts';
import type { Detection, MockFormat, NamedDefinition, NearMiss, ReadMock, ReadResponse, ReadRoute } from '../format.ts';
import { given, textIn, without } from '../reading/members.ts';
import type { Item, ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';
import { matchShape, type Condition } from '../../model/mocks/definition/condition-schema.ts';

/** In files of version 1, a ":" within a segment of a path is text. */
const FILE_VERSION = 2;
const OLD_VERSION = 1;

export const switchyardFormat: MockFormat = { name: 'switchyard', detect, read };

function detect(content: unknown): Detection | NearMiss | undefined {
  if (!isObject(content)) return undefined;
  if (!Object.hasOwn(content, 'switchyard')) {
    const missing = 'add `switchyard: 2` and `kind: mock`';
    return Array.isArray(content.routes) ? { format: 'switchyard', missing } : undefined;
  }
  const { switchyard, kind } = content;
  if (switchyard !== FILE_VERSION && switchyard !== OLD_VERSION) {
    const missing = `\`switchyard\` is ${JSON.stringify(switchyard)}: supported are versions 1 and 2`;
    return { format: 'switchyard', missing };
  }
  if (kind !== 'mock') return { format: 'switchyard', missing: '`kind` must be "mock" for a mock' };
  const detectedBy = `\`switchyard: ${switchyard}\` with \`kind: "mock"\``;
  return { format: 'switchyard', version: String(switchyard), detectedBy };
}

function read(root: Member, _bundle: unknown, options: { readonly name?: string }, report: ReportWriter): ReadMock[] {
  const isOld = root.get('switchyard')?.value === OLD_VERSION;
  root.get('kind');
  const name = textIn(root, 'name');
  const description = textIn(root, 'description');
  const { settings } = given(root, ['settings']);
  const routes = root.get('routes')?.items() ?? [];
  return [
    {
      name: options.name ?? name ?? '',
      ...(description === undefined ? {} : { description }),
      ...(settings === undefined ? {} : { settings: settings as Record<string, unknown> }),
      routes: routes.map((route) => readRoute(route, isOld, report)),
    },
  ];
}

const RESPONSE = responseShape(DEFAULT_LIMITS.mocks);
const ROUTE = routeShape(DEFAULT_LIMITS.mocks);
const ROUTE_MEMBERS = Object.keys(ROUTE.properties).filter((name) => name !== 'responses');
const RESPONSE_MEMBERS = Object.keys(RESPONSE.properties);

/** Fields that an object of the file may have beside the one at a pointer; none where that depends on more. */
export function fieldsBeside(pointer: string): readonly string[] {
  if (/^\/routes\/\d+\/[^/]*$/.test(pointer)) return [...ROUTE_MEMBERS, 'responses'];
  if (/^\/routes\/\d+\/responses\/\d+\/[^/]*$/.test(pointer)) return [...RESPONSE_MEMBERS, 'bodyJson'];
  return [];
}

function readRoute(route: Member, isOld: boolean, report: ReportWriter): ReadRoute {
  const item = report.item('route', route);
  const responses = route.get('responses')?.items() ?? [];
  const members = withId(given(route, ROUTE_MEMBERS), route, item);
  const { path, pathKind } = members;
  // A response is checked on its own, and then says so what it answers.
  const ofKind = members['kind'] === 'ws' ? { when: 'message' } : {};
  return {
    item,
    ...members,
    ...(isOld && typeof path === 'string' && pathKind === undefined ? { path: fromOldPath(path) } : {}),
    responses: responses.map((response): ReadResponse => {
      const json = response.get('bodyJson');
      const body = json === undefined ? {} : { body: printJson(json.whole()) };
      const answer = report.item('response', response);
      return { item: answer, ...ofKind, ...withId(given(response, RESPONSE_MEMBERS), response, answer), ...body };
    }),
  } as unknown as ReadRoute;
}

/** Without an id that the mock could not have. */
function withId(members: Record<string, unknown>, source: Member, item: Item): Record<string, unknown> {
  const { id, ...rest } = members;
  if (id === undefined || (typeof id === 'string' && PART_ID.test(id))) return members;
  item.note('import.id', source.get('id'));
  return rest;
}

/** @returns The text of the file, which ends with a newline. */
export function writeSwitchyard({ name, description, definition }: NamedDefinition): string {
  const file = {
    switchyard: FILE_VERSION,
    kind: 'mock',
    name,
    ...without({ description }, { description: '' }),
    ...settingsOf(definition.settings),
    routes: definition.routes.map(routeOf),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** Settings that differ from the defaults. */
export function settingsOf(settings: MockSettings): { settings?: object } {
  const changed = withoutDefaults(settingsShape, settings);
  return Object.keys(changed).length === 0 ? {} : { settings: changed };
}

/** A route without defaults; a response has `bodyJson` in place of a body that is JSON. */
export function routeOf(route: MockRoute): object {
  return { ...withoutDefaults(ROUTE, route), responses: route.responses.map(responseOf) };
}

function responseOf(response: MockResponse): object {
  const { when, to, close, silent, ...others } = response;
  const rules = others.rules.map(ruleOf);
  const callbacks = others.callbacks?.map(callbackOf);
  const written = withoutDefaults(RESPONSE, { ...others, rules, callbacks, when, to, close, silent });
  const json = jsonOf(response);
  if (json === undefined) return written;
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => (name === 'body' ? ['bodyJson', json] : [name, value])),
  );
}

function callbackOf({ when, ...callback }: Callback): object {
  return { ...callback, ...without({ when: when?.map(ruleOf) }, {}) };
}

function ruleOf(rule: Condition): object {
  return isConditionGroup(rule) ? mapGroup(rule, ruleOf) : withoutDefaults(matchShape, rule);
}

/** @returns undefined for a body whose text is not what its value would be written as. */
function jsonOf({ body, bodyEncoding }: MockResponse): unknown {
  if (bodyEncoding !== 'text' || !/^[[{]/.test(body)) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return JSON.stringify(value) === body ? value : undefined;
  } catch {
    return undefined;
  }
}
