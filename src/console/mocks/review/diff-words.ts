/** Differences in words: field names, values, and multi-line texts. */
import type { StoreDefinition } from '../../../model/mocks/stores/store-schema.ts';
import type {
  Fault,
  HeaderLine,
  MockStream,
  Scenario,
  ScenarioStep,
} from '../../../model/mocks/definition/definition.ts';
import type { RouteSummary } from '../../../client/shapes.ts';
import type { ChangedRoute, CopyDiff, FieldChange } from '../../../model/mocks/show/diff.ts';
import { diffLines } from '../../parts/line-diff.ts';
import { countText, labelOf } from '../../parts/words.ts';
import { SETTING_WORDS, settingWords } from '../settings/settings-words.ts';
import { eventWords, ruleText, SELECTION_CHOICES } from '../routes/route-words.ts';
import { deliveryWords, faultWords, scenarioWords, stepWords } from '../try/behaviour-words.ts';
import type { Condition } from '../../../model/mocks/definition/condition-schema.ts';
import type { Delivery } from '../../../model/mocks/behaviour/behaviour-schema.ts';

/** Names of fields that their members do not say. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  pathKind: 'Path type',
  templated: 'Body is a template',
  default: 'Default response',
  rules: 'Conditions',
  rulesOperator: 'Conditions joined by',
  compress: 'Compression',
  tickMs: 'Tick interval, ms',
  tickTo: 'Send ticks to',
  delivery: 'Delivery of the body',
  when: 'Replies to',
  to: 'Send to',
  proxy: 'Upstream',
  sample: 'Sample request',
  stub: 'WireMock stub',
};

export function fieldName(field: string): string {
  const [of, member = '', index] = field.split('.');
  if (of !== 'stream' || member === '') return FIELD_NAMES[field] ?? sentence(field);
  return index === undefined ? `Stream: ${member}` : `Event ${Number(index) + 1}`;
}

/** "Body encoding" of bodyEncoding. */
function sentence(member: string): string {
  const words = member.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Names a setting as on the settings screen: routes and responses have headers and a latency too. */
export function settingName(field: string): string {
  // Store names contain no dots.
  const [, store, member, part] = /^stores\.([^.]+)(?:\.([^.]+)(?:\.(.*))?)?$/s.exec(field) ?? [];
  if (store === undefined) return SETTING_WORDS[field as keyof typeof SETTING_WORDS]?.label ?? field;
  return `Store ${store}${member === undefined ? '' : `: ${part ?? member}`}`;
}

/** A value in one line; a text is returned unchanged. */
export function valueText(field: string, value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (value === '') return '(empty)';
  if (field === 'fault') return faultWords(value as Fault);
  if (field.startsWith('stream.events.')) return eventWords(value);
  if (field === 'delivery') return deliveryWords(value as Delivery);
  if (field === 'selection') return labelOf(SELECTION_CHOICES, value) ?? '';
  if (field === 'rulesOperator') return value === 'AND' ? 'all' : 'any';
  return settingWords(field, value);
}

export interface TextChange {
  readonly before: string;
  readonly after: string;
}

/** Fields that are compared line by line; undefined for others, and for bodies that the server omits. */
export function textChange({ field, before, after }: FieldChange): TextChange | undefined {
  const textOf = TEXTS[field];
  if (textOf !== undefined) return { before: textOf(before), after: textOf(after) };
  const isText = typeof before === 'string' && typeof after === 'string';
  return isText && (field === 'body' || `${before}${after}`.includes('\n')) ? { before, after } : undefined;
}

const TEXTS: Readonly<Record<string, (value: unknown) => string>> = {
  headers: (value) =>
    ((value ?? []) as readonly HeaderLine[]).map(({ name, value: text }) => `${name}: ${text}`).join('\n'),
  faults: (value) => ((value ?? []) as readonly Fault[]).map(faultWords).join('\n'),
  stream: (value) => streamLines(value as MockStream | null | undefined),
  stores: (value) => ((value ?? []) as readonly StoreDefinition[]).map((each) => JSON.stringify(each)).join('\n'),
  scenarios: (value) => ((value ?? []) as readonly Scenario[]).map(scenarioWords).join('\n'),
  scenario: (value) => [(value ?? []) as ScenarioStep | readonly ScenarioStep[]].flat().map(stepWords).join('\n'),
  rules: (value) =>
    (value as readonly Condition[]).map((rule) => ruleText(rule, true).replaceAll('\n', '\\n')).join('\n'),
};

/** The settings of a stream, then one line per event. */
function streamLines(stream: MockStream | null | undefined): string {
  if (stream === undefined || stream === null) return '';
  const { events, ...how } = stream;
  const members = Object.entries(how).map(([name, value]) => `${name}: ${value}`);
  return [...members, ...events.map((event) => eventWords(event).replaceAll('\n', '\\n'))].join('\n');
}

/** The number of changed settings, routes and orders. */
export const changeCount = (diff: CopyDiff): number =>
  diff.settings.length +
  diff.routesAdded.length +
  diff.routesRemoved.length +
  diff.routesChanged.length +
  (diff.routesReordered ? 1 : 0);

/** "2 routes changed", "1 route added", "order of routes", "1 setting". */
export function changeWords(diff: CopyDiff): readonly string[] {
  const { routesAdded, routesRemoved, routesChanged, routesReordered, settings } = diff;
  const routes = (count: number, how: string): string => `${countText(count, 'route')} ${how}`;
  return [
    routesAdded.length > 0 && routes(routesAdded.length, 'added'),
    routesChanged.length > 0 && routes(routesChanged.length, 'changed'),
    routesRemoved.length > 0 && routes(routesRemoved.length, 'removed'),
    routesReordered && 'routes reordered',
    settings.length > 0 && countText(settings.length, 'setting'),
  ].filter((words) => words !== false);
}

/** Whether describing it needs response names. */
export const touchesResponses = (route: ChangedRoute): boolean =>
  route.responsesAdded.length + route.responsesRemoved.length + route.responsesChanged.length > 0;

/** A route at another position, among those in both copies. */
export interface MovedRoute {
  readonly route: RouteSummary;
  readonly from: number;
  readonly to: number;
}

/** Finds the smallest set of moved routes between two orders. Empty above 5,000 routes. */
export function movedRoutes(before: readonly RouteSummary[], after: readonly RouteSummary[]): readonly MovedRoute[] {
  const kept = new Set(after.map(({ id }) => id));
  const old = before.map(({ id }) => id).filter((id) => kept.has(id));
  const places = new Map(old.map((id, index) => [id, index + 1]));
  const now = after.filter(({ id }) => places.has(id));
  const lines = diffLines(old.join('\n'), now.map(({ id }) => id).join('\n')) ?? [];
  const ids = new Set(lines.filter(({ kind }) => kind === 'added').map(({ text }) => text));
  return now.flatMap((route, index) =>
    ids.has(route.id) ? [{ route, from: places.get(route.id) as number, to: index + 1 }] : [],
  );
}
