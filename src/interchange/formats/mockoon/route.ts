/** Routes, with the ways in which one of several responses is chosen. */
import { LATENCY_MS_MAX, MOCK_SOCKET_TICK_MS_MIN } from '../../../limits.ts';
import { routeMethod } from '../../exchanges/literal-path.ts';
import { withIds } from '../../exchanges/responses.ts';
import type { ReadResponse, ReadRoute, ReadRule } from '../../format.ts';
import { countMembers, numberIn, objectsIn, textIn, typed, type Members } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { stableId } from '../../stable-id.ts';
import { readCallbacks } from './callback.ts';
import type { RouteContext } from './context.ts';
import { endpointPath, joinedPath } from './path.ts';
import { JSON_TYPE, readResponse } from './response.ts';

const ROUTE: Members = {
  uuid: ['text'],
  crudKey: ['text'],
  streamingMode: ['text'],
  streamingInterval: ['number'],
  duplicates: ['any'],
};

const SELECTIONS: Readonly<Record<string, string>> = {
  RANDOM: 'random',
  SEQUENTIAL: 'sequential',
  DISABLE_RULES: 'default',
};

const DESCRIPTION_CHARS_MAX = 10_000;

/** @returns None for a route that is left out. */
export function readRoute(route: Member, context: RouteContext): ReadRoute[] {
  const { report, prefix } = context;
  const item = report.item('route', route);
  const type = textIn(route, 'type') ?? 'http';
  const written = textIn(route, 'method') ?? '';
  const isSocket = type === 'ws';
  const method = isSocket ? 'GET' : written === '' || written === 'all' ? 'ANY' : routeMethod(written);
  const endpoint = textIn(route, 'endpoint') ?? '';
  item.name = `${method ?? written} ${joinedPath(prefix, endpoint)}`;
  if (type === 'crud') return readCrud(route, item, endpoint, context);
  const isKnown = type === 'http' || isSocket;
  if (!isKnown || method === undefined) {
    route.whole();
    item.note(isKnown ? 'mockoon.method' : 'mockoon.route-type', undefined, isKnown ? written : type);
    return [];
  }
  const tickMs = isSocket ? tickMsOf(route) : undefined;
  const isToAll = tickMs !== undefined && textIn(route, 'streamingMode') === 'BROADCAST';
  const { rules, isAnswered, hasCase, wildcards, ...path } = endpointPath(joinedPath(prefix, endpoint));
  if (hasCase) item.count('mockoon.path-case');
  if (!isAnswered) item.note('mockoon.path-form', route.at('/endpoint'), endpoint);
  if (rules.length > 0) item.note('mockoon.fragment', route.at('/endpoint'), endpoint);
  const mode = modeOf(route);
  countMembers(route, ROUTE, { code: 'mockoon.environment' }, report);
  const description = textIn(route, 'documentation') ?? '';
  const isFallback = mode === 'FALLBACK';
  const read = responsesOf(route, mode, { ...context, wildcards });
  const responses = isSocket ? read.map((each) => asMessage(each, tickMs !== undefined)) : read;
  if (responses.length === 0 && route.has('responses')) {
    // The entries of its responses say why.
    item.level = 'dropped';
    return [];
  }
  const hasDefault = responses.some((each) => each.default === true);
  const isNumbered = responses.some((each) =>
    each.rules?.some((rule) => 'target' in rule && rule.target === 'requestNumber'),
  );
  if (isFallback && isNumbered) item.note('mockoon.request-number');
  const conditioned = rules.length === 0 ? responses : responses.map((each) => underRules(each, rules));
  const isEnabled = typed(route, 'enabled', 'flag')?.value !== false;
  return [
    {
      item,
      id: stableId('r', isSocket ? type : method, path.path, ...(rules.length === 0 ? [] : [endpoint])),
      ...(isSocket ? { kind: 'ws' as const } : {}),
      method,
      ...path,
      description: description.slice(0, DESCRIPTION_CHARS_MAX),
      ...(isEnabled ? {} : { enabled: false }),
      ...(rules.length > 0 || SELECTIONS[mode] === undefined ? {} : { selection: SELECTIONS[mode] }),
      ...(!isSocket && (rules.length > 0 || (SELECTIONS[mode] === undefined && !hasDefault))
        ? { otherwise: 'next' }
        : {}),
      ...(tickMs === undefined ? {} : { tickMs }),
      ...(isToAll ? { tickTo: 'all' as const } : {}),
      responses: withIds(conditioned),
    },
  ];
}

/** @returns undefined without any. */
function tickMsOf(route: Member): number | undefined {
  if (textIn(route, 'streamingMode') === undefined) return undefined;
  return Math.min(LATENCY_MS_MAX, Math.max(MOCK_SOCKET_TICK_MS_MIN, numberIn(route, 'streamingInterval') ?? 0));
}

/** Statuses, headers and callbacks belong to requests. */
function asMessage(
  { status: _status, headers: _headers, callbacks: _callbacks, ...response }: ReadResponse,
  isTick: boolean,
): ReadResponse {
  return { ...response, when: isTick ? 'tick' : 'message' };
}

/** The default response has the bucket and is the last; others answer by their rules. */
function readCrud(route: Member, item: Item, endpoint: string, context: RouteContext): ReadRoute[] {
  const { report, prefix, buckets } = context;
  const path = endpointPath(joinedPath(prefix, endpoint));
  const sources = objectsIn(route, 'responses', report);
  const isOfBucket = (source: Member): boolean => source.at('/bodyType')?.value === 'DATABUCKET';
  const last =
    sources.find((each) => isOfBucket(each) && each.at('/default')?.value === true) ?? sources.find(isOfBucket);
  const bucket = buckets.byId(last?.at('/databucketID')?.text() ?? '');
  const key = last?.at('/crudKey')?.text() ?? 'id';
  const isPlain = path.rules.length === 0 && !('pathKind' in path) && /^[A-Za-z_][\w-]*$/.test(key);
  if (last === undefined || bucket === undefined || !isPlain || !buckets.useAsStore(bucket, key)) {
    route.whole();
    item.note('mockoon.route-type', undefined, endpoint);
    return [];
  }
  if (bucket.hasTags) item.note('mockoon.crud-ids', undefined, endpoint);
  if (bucket.readsRequest) item.note('mockoon.bucket-template', undefined, endpoint);
  if (path.hasCase) item.count('mockoon.path-case');
  modeOf(route);
  countMembers(route, ROUTE, { code: 'mockoon.environment' }, report);
  const description = textIn(route, 'documentation') ?? '';
  const withCallbacks = (source: Member) => (response: ReadResponse) => ({
    ...response,
    ...readCallbacks(source, response.item, context),
  });
  const before = sources
    .filter((each) => each !== last)
    .flatMap((source): ReadResponse[] => {
      if (isOfBucket(source) || objectsIn(source, 'rules', report).length === 0) {
        source.whole();
        report.item('response', source).note('mockoon.crud');
        return [];
      }
      typed(source, 'default', 'flag');
      return readResponse(source, { isDefault: false, usesRules: true }, context).map(withCallbacks(source));
    });
  typed(last, 'default', 'flag');
  const stored = readResponse(last, { isDefault: true, usesRules: false, isStored: true }, context).map(
    withCallbacks(last),
  );
  const isEnabled = typed(route, 'enabled', 'flag')?.value !== false;
  return [
    {
      item,
      id: stableId('r', 'crud', path.path),
      kind: 'crud',
      store: bucket.storeName,
      dialect: 'mockoon',
      method: 'ANY',
      path: path.path,
      description: description.slice(0, DESCRIPTION_CHARS_MAX),
      ...(isEnabled ? {} : { enabled: false }),
      responses: withIds([
        ...before,
        { item, status: 404, headers: JSON_TYPE, body: '{}' },
        ...stored.map(({ default: _last, ...each }) => each),
      ]),
    },
  ];
}

/** Older files have two flags. */
function modeOf(route: Member): string {
  const isSequential = typed(route, 'sequentialResponse', 'flag')?.value === true;
  const isRandom = typed(route, 'randomResponse', 'flag')?.value === true;
  const mode = route.get('responseMode')?.text();
  return mode ?? (isSequential ? 'SEQUENTIAL' : isRandom ? 'RANDOM' : '');
}

/** Exactly one is the default: the one that says so, else the first. In the oldest files the route itself is the response. */
function responsesOf(route: Member, mode: string, context: RouteContext): ReadResponse[] {
  const sources = route.has('responses') ? objectsIn(route, 'responses', context.report) : [route];
  const defaultAt = Math.max(
    0,
    sources.findIndex((source) => typed(source, 'default', 'flag')?.value === true),
  );
  return sources.flatMap((source, index) => {
    typed(source, 'default', 'flag');
    const isDefault = index === defaultAt && mode !== 'FALLBACK';
    const usesRules = !Object.hasOwn(SELECTIONS, mode);
    return readResponse(source, { isDefault, usesRules }, context).map((response) => ({
      ...response,
      ...readCallbacks(source, response.item, context),
    }));
  });
}

/** The condition of the path is one of each response. Those without rules of their own answer in their order. */
function underRules(response: ReadResponse, conditions: readonly ReadRule[]): ReadResponse {
  const { rules = [], rulesOperator, default: _, ...rest } = response;
  const own: readonly ReadRule[] = rulesOperator === 'OR' && rules.length > 1 ? [{ any: rules }] : rules;
  return { ...rest, rules: [...conditions, ...own] };
}
