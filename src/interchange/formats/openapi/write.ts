/**
 * A mock as an OpenAPI 3.1 document: a route is an operation, and the responses of one status are its named examples.
 *
 * The document describes what a client may get. When it gets what is lost, and reported. Responses: written-responses.ts.
 */
import { printJson } from '../../../base/written-numbers.ts';
import { METHOD_ANY, type MockRoute, type MockSettings } from '../../../model/mocks/definition/definition.ts';
import { conditionsOf } from '../../../model/mocks/definition/conditions.ts';
import { namesOf, parseRoutePath, variantsOf, type PathSegment } from '../../../languages/paths/route-path.ts';
import type { Piece } from '../../../languages/paths/segment-form.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { NamedDefinition } from '../../format.ts';
import { ANY_VALUE } from './path.ts';
import { writtenCallbacks } from './write-callbacks.ts';
import { responsesOf } from './written-responses.ts';
import type { MatchCondition } from '../../../model/mocks/definition/condition-schema.ts';

const METHODS: ReadonlySet<string> = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
/** Written for a route of any method. */
const COMMON_METHODS = ['get', 'put', 'post', 'delete', 'patch'];

type PathItem = Record<string, object>;

/** @returns The text of the document, which ends with a newline. */
export function writeOpenApi({ name, description, definition }: NamedDefinition, report: ReportWriter): string {
  const mock = report.item('mock');
  noteSettings(mock, definition.settings);
  const paths = new Map<string, PathItem>();
  /** Paths without the names of parameters: OpenAPI takes those that differ in them for one. */
  const shapes = new Map<string, string>();
  for (const route of definition.routes) {
    const item = report.item('route');
    item.target.routeId = route.id;
    if (route.kind === 'ws') item.note('openapi-export.websocket');
    else if (route.enabled) writeRoute(route, item, report, paths, shapes);
    else item.note('openapi-export.disabled');
  }
  const document = {
    openapi: '3.1.0',
    info: { title: name, version: '1.0.0', ...(description === '' ? {} : { description }) },
    paths: Object.fromEntries(paths),
  };
  return `${printJson(document, 2)}\n`;
}

/** Settings that OpenAPI has no place for. A reader of its documents sets `forced` anyway. */
const SETTINGS_LOST: Readonly<Record<Exclude<keyof MockSettings, 'forced'>, unknown>> = {
  cors: true,
  latency: 0,
  precedence: 'specific',
  seed: null,
  traffic: true,
  faults: undefined,
  rateLimit: undefined,
  proxy: undefined,
  stores: undefined,
  scenarios: undefined,
  sessions: undefined,
  headers: undefined,
  clock: undefined,
  variables: undefined,
  debugHeaders: undefined,
  signing: undefined,
  clientCert: undefined,
  faker: undefined,
};

function noteSettings(mock: Item, settings: MockSettings): void {
  for (const [name, usual] of Object.entries(SETTINGS_LOST)) {
    const value = settings[name as keyof MockSettings];
    if (value !== usual) mock.note('openapi-export.settings', undefined, `${name} ${truncate(value)}`);
  }
}

/** Scenarios may take a megabyte. */
const SHOWN_CHARS_MAX = 200;

function truncate(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}

function writeRoute(
  route: MockRoute,
  item: Item,
  report: ReportWriter,
  paths: Map<string, PathItem>,
  shapes: Map<string, string>,
): void {
  const segments = route.pathKind === 'regex' ? 'a pattern' : parseRoutePath(route.path);
  const methods = route.method === METHOD_ANY ? COMMON_METHODS : [route.method.toLowerCase()];
  if (!methods.every((method) => METHODS.has(method))) return item.note('openapi-export.method');
  if (typeof segments === 'string' || segments.some(isLiteralWithBraces)) return item.note('openapi-export.path');
  if (route.method === METHOD_ANY) item.note('openapi-export.any-method');
  if (segments.some(({ kind }) => kind === 'rest' || kind === 'wild')) item.note('openapi-export.wildcard');
  if (segments.some((segment) => segment.kind === 'form' && segment.form.pieces.some(restricts)))
    item.note('openapi-export.pattern');
  if (route.otherwise === 'next') item.note('openapi-export.next');
  if (route.selection !== 'rules' && route.responses.length > 1) item.note('openapi-export.selection');

  const rules = route.responses.flatMap((response) =>
    conditionsOf(response.rules, false).map((rule) => ({ rule, response })),
  );
  for (const { rule, response } of rules) {
    const of = report.item('rule');
    Object.assign(of.target, { routeId: route.id, responseId: response.id });
    const isShown = !rule.invert && rule.operator === 'equals' && placeOf(rule) !== undefined;
    of.note(isShown ? 'openapi-export.parameter' : 'openapi-export.rule');
  }
  const responses = responsesOf(route, report, item);
  const callbacks = writtenCallbacks(route, item);
  const parameters = parametersOf(rules.map(({ rule }) => rule));
  let isWritten = false;
  for (const variant of pathsOf(segments)) {
    const path = templateOf(variant);
    const shape = path.replaceAll(/\{[^{}]*\}/g, '{}');
    const known = shapes.get(shape) ?? path;
    if (known !== path) continue;
    shapes.set(shape, path);
    const at = paths.get(path) ?? {};
    paths.set(path, at);
    for (const method of methods) {
      if (Object.hasOwn(at, method)) continue;
      isWritten = true;
      at[method] = {
        ...(route.description === '' ? {} : { summary: route.description }),
        ...withMembers('parameters', [...pathParameters(variant), ...parameters]),
        responses,
        ...callbacks,
      };
    }
  }
  if (!isWritten) item.note('openapi-export.path');
}

function isLiteralWithBraces(segment: PathSegment): boolean {
  return segment.kind === 'literal' && /[{}]/.test(segment.text);
}

/** Each optional parameter makes two paths of one. */
function pathsOf(segments: readonly PathSegment[]): (readonly PathSegment[])[] {
  return variantsOf(segments).flatMap((variant) => {
    const last = variant.at(-1);
    return last?.kind === 'parameter' && last.optional ? [variant, variant.slice(0, -1)] : [variant];
  });
}

function templateOf(segments: readonly PathSegment[]): string {
  const parts = segments.map((segment) => {
    if (segment.kind === 'literal') return encodeText(segment.text);
    if (segment.kind !== 'form') return `{${nameOf(segment.name)}}`;
    return segment.form.pieces
      .map((piece) => (typeof piece === 'string' ? encodeText(piece) : `{${piece.name}}`))
      .join('');
  });
  return `/${parts.join('/')}`;
}

/** Encodes a text for a path, with the characters that need no escape. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%(?:3A|40|24|26|2B|2C|3B|3D)/g, (escape) =>
    decodeURIComponent(escape),
  );
}

/** "rest" and "rest2" for "*" and "*2": OpenAPI has no wildcards. */
function nameOf(name: string): string {
  return name.replace('*', 'rest');
}

function pathParameters(segments: readonly PathSegment[]): object[] {
  return segments.flatMap((segment) => {
    if (segment.kind === 'form') {
      return segment.form.pieces.flatMap((piece) => {
        if (typeof piece === 'string') return [];
        return [pathParameter(piece.name, restricts(piece) ? { pattern: `^(?:${piece.pattern})$` } : {})];
      });
    }
    return namesOf(segment).map((name) => pathParameter(nameOf(name), {}));
  });
}

/** Whether it is a parameter that has not any value. */
function restricts(piece: Piece): boolean {
  return typeof piece !== 'string' && piece.pattern !== undefined && piece.pattern !== ANY_VALUE;
}

function pathParameter(name: string, more: object): object {
  return { name, in: 'path', required: true, schema: { type: 'string', ...more } };
}

/** Headers that OpenAPI describes elsewhere, and has no parameters for. */
const NO_PARAMETERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

function placeOf({ target, property }: MatchCondition): 'query' | 'header' | 'cookie' | undefined {
  if (target === 'query' || target === 'cookie') return target;
  return target === 'header' && !NO_PARAMETERS.has(property.toLowerCase()) ? target : undefined;
}

/** One for each name in all rules. */
function parametersOf(rules: readonly MatchCondition[]): object[] {
  const parameters = new Map<string, { name: string; in: string; schema: object; example?: string }>();
  for (const rule of rules) {
    const place = placeOf(rule);
    if (place === undefined) continue;
    const { property: name, operator, value, invert } = rule;
    const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
    const known = parameters.get(key) ?? { name, in: place, schema: { type: 'string' } };
    parameters.set(key, operator === 'equals' && !invert ? { example: value, ...known } : known);
  }
  return [...parameters.values()].map(({ name, in: place, schema, example }) => ({
    name,
    in: place,
    required: false,
    schema,
    ...(example === undefined ? {} : { example }),
  }));
}

function withMembers(name: string, values: readonly object[]): object {
  return values.length === 0 ? {} : { [name]: values };
}
