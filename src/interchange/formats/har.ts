/**
 * HAR 1.1 and 1.2: what a browser or a proxy recorded becomes a mock of one host. The requests of a route that were answered differently are
 * distinguished by conditions; repeats of one request are a sequence. Credentials of requests never enter.
 */
import { isObject } from '../../base/json-object.ts';
import { DEFAULT_LIMITS } from '../../limits.ts';
import { idSegments } from '../exchanges/id-segments.ts';
import { pathShape } from '../exchanges/literal-path.ts';
import { withDefault, withIds } from '../exchanges/responses.ts';
import { tellApart, type Group } from '../exchanges/tell-apart.ts';
import type { Detection, ImportOptions, MockFormat, NearMiss, ReadMock, ReadResponse, ReadRoute } from '../format.ts';
import { countMembers, objectsIn, typed, type Members } from '../reading/members.ts';
import type { ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';
import { stableId } from '../stable-id.ts';
import { RECORDING, readEntry, type Entry } from './har-entry.ts';
import { isSocket, socketRoutes } from './har-socket.ts';

export const harFormat: MockFormat = { name: 'har', detect, read };

const VERSIONS: ReadonlySet<unknown> = new Set(['1.1', '1.2']);

function detect(content: unknown): Detection | NearMiss | undefined {
  if (!isObject(content) || !isObject(content.log)) return undefined;
  const { entries, version } = content.log;
  if (!Array.isArray(entries)) return { format: 'har', missing: '`log.entries` is not an array' };
  // Many recorders leave it out.
  if (version === undefined || version === '') return { format: 'har', detectedBy: '`log.entries`' };
  return typeof version === 'string' && VERSIONS.has(version)
    ? { format: 'har', version, detectedBy: '`log.entries` with `log.version`' }
    : { format: 'har', missing: `\`log.version\` is ${JSON.stringify(version)}: supported are 1.1 and 1.2` };
}

const TOOL: Members = { name: ['text'], version: ['text'], comment: ['text'] };
const LOG: Members = {
  version: ['text'],
  comment: ['text'],
  creator: TOOL,
  browser: TOOL,
  pages: {
    startedDateTime: ['text'],
    id: ['text'],
    title: ['text'],
    comment: ['text'],
    pageTimings: { onContentLoad: ['number'], onLoad: ['number'], comment: ['text'] },
  },
};

function read(root: Member, _bundle: unknown, options: ImportOptions, report: ReportWriter): ReadMock[] {
  const log = typed(root, 'log', 'object') as Member;
  countMembers(root, {}, RECORDING, report);
  countMembers(log, LOG, RECORDING, report);
  const hosts = hostsOf(objectsIn(log, 'entries', report), report);
  const host = options.host?.toLowerCase() ?? busiestOf(hosts);
  const recorded = hosts.get(host);
  for (const [name, others] of hosts) if (name !== host) leaveOut(name, others, report);
  if (recorded === undefined) {
    report.itemOf(root).note('har.no-host', log, host);
    return [];
  }
  return [{ name: options.name ?? host, hosts: [host], routes: routesOf(recorded, options, report) }];
}

interface HarRequest {
  readonly member: Member;
  readonly url: URL;
}

/** Entries by host, with its port where it is not the usual one. */
function hostsOf(entries: readonly Member[], report: ReportWriter): Map<string, HarRequest[]> {
  const hosts = new Map<string, HarRequest[]>();
  for (const member of entries) {
    const url = urlOf(member.at('/request/url')?.text());
    if (url === undefined) {
      report.item('response', member).note('har.request');
      member.whole();
      continue;
    }
    const known = hosts.get(url.host);
    if (known === undefined) hosts.set(url.host, [{ member, url }]);
    else known.push({ member, url });
  }
  return hosts;
}

/** @returns undefined for what no HTTP server is asked for, such as "data:" and "blob:". */
function urlOf(text = ''): URL | undefined {
  if (!/^\s*(?:https?|wss?):/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

/** The first of those with most entries. */
function busiestOf(hosts: ReadonlyMap<string, readonly HarRequest[]>): string {
  let busiest = '';
  for (const [host, entries] of hosts) if (entries.length > (hosts.get(busiest)?.length ?? 0)) busiest = host;
  return busiest;
}

function leaveOut(host: string, entries: readonly HarRequest[], report: ReportWriter): void {
  for (const { member } of entries) member.whole();
  report.item('mock', entries[0]?.member).note('har.other-host', undefined, `${host}: ${entries.length}`);
}

function routesOf(allRecorded: readonly HarRequest[], options: ImportOptions, report: ReportWriter): ReadRoute[] {
  const paths = options.paths ?? (options.parameterise === true ? 'ids' : 'exact');
  const sockets = allRecorded.filter(({ member }) => isSocket(member));
  const recorded = allRecorded.filter(({ member }) => !isSocket(member));
  const pathnames = recorded.map(({ url }) => url.pathname);
  const reading = { options, isParameter: idSegments(paths, pathnames), report };
  const all = recorded.flatMap(
    ({ member, url }) => readEntry(member, url, report.item('response', member), reading) ?? [],
  );
  const entries = paths === 'auto' ? withOwnPaths(all) : all;
  const routes = new Map<string, Entry[]>();
  for (const entry of entries) {
    const { method, path, item, values } = entry;
    if (path.parameters.length > 0) item.note('har.parameter');
    const own = { ...entry, values: [...path.parameters, ...values] };
    const shape = `${method} ${pathShape(path.text)}`;
    const known = routes.get(shape);
    if (known === undefined) routes.set(shape, [own]);
    else known.push(own);
  }
  return [...[...routes.values()].map((each) => routeOf(each, report)), ...socketRoutes(sockets, report)];
}

/**
 * An id whose requests were answered otherwise over time gets a route of its own: only a whole route can be a sequence. So do ids
 * that need more responses than a route may have.
 */
function withOwnPaths(entries: readonly Entry[]): readonly Entry[] {
  const replies = new Map<string, string>();
  const own = new Set<string>();
  const shapes = new Map<string, { readonly requests: Set<string>; readonly replies: Set<string> }>();
  for (const { method, path, ownPath, identity, reply } of entries) {
    const request = `${method} ${identity}`;
    const first = replies.get(request) ?? reply;
    replies.set(request, first);
    if (first !== reply) own.add(`${method} ${ownPath.text}`);
    const shape = shapes.get(`${method} ${path.text}`) ?? { requests: new Set(), replies: new Set() };
    shapes.set(`${method} ${path.text}`, shape);
    shape.requests.add(identity);
    shape.replies.add(reply);
  }
  const { responsesPerRouteMax } = DEFAULT_LIMITS.mocks;
  for (const [shape, { requests, replies: unlike }] of shapes) {
    if (unlike.size > 1 && requests.size > responsesPerRouteMax) own.add(shape);
  }
  return entries.map((entry) => {
    const { method, path, ownPath } = entry;
    const isOwn = own.has(`${method} ${ownPath.text}`) || own.has(`${method} ${path.text}`);
    return isOwn ? { ...entry, path: ownPath } : entry;
  });
}

function routeOf(entries: readonly Entry[], report: ReportWriter): ReadRoute {
  const [first] = entries as [Entry];
  const { method } = first;
  const path = first.path.text;
  const groups = tellApart(entries);
  for (const { exchanges, isApart } of groups) {
    if (!isApart) for (const { item } of exchanges) item.note('har.told-apart');
    const header = headerApart(exchanges);
    if (header !== undefined) for (const { item } of exchanges) item.note('har.header-apart', undefined, header);
  }
  const [only] = groups;
  const isSequence = groups.length === 1 && only !== undefined && periodOf(only.exchanges) > 1;
  const responses = isSequence ? sequenceOf(only.exchanges) : groups.flatMap(responsesOf);
  return {
    item: report.item('route'),
    id: stableId('r', method, path),
    method,
    path,
    ...(isSequence ? { selection: 'sequential' } : {}),
    responses: withIds(withDefault(responses)),
  };
}

/** @returns A header whose values alone say which answer each of these requests got, where nothing else distinguishes them. */
function headerApart(entries: readonly Entry[]): string | undefined {
  const [first] = entries;
  if (first === undefined || entries.every(({ reply }) => reply === first.reply)) return undefined;
  const asked = entries.map(({ requestHeaders, reply }) => ({ headers: requestHeaders(), reply }));
  const names = new Set(asked.flatMap(({ headers }) => [...headers.keys()]));
  return [...names].find((name) => {
    const replies = new Map<string | undefined, string>();
    return asked.every(({ headers, reply }) => {
      const known = replies.get(headers.get(name)) ?? reply;
      replies.set(headers.get(name), known);
      return known === reply;
    });
  });
}

/** Entries of the shortest sequence that gives all replies when it is repeated. */
function periodOf(entries: readonly Entry[]): number {
  // Length of the longest proper prefix that is also a suffix, of each prefix (Knuth, Morris and Pratt).
  const borders = [0];
  for (let at = 1; at < entries.length; at++) {
    const { reply } = entries[at] as Entry;
    let border = borders[at - 1] as number;
    while (border > 0 && entries[border]?.reply !== reply) border = borders[border - 1] as number;
    borders.push(entries[border]?.reply === reply ? border + 1 : border);
  }
  return entries.length - (borders.at(-1) as number);
}

function sequenceOf(entries: readonly Entry[]): ReadResponse[] {
  const period = periodOf(entries);
  return entries.slice(0, period).map((entry, index) => {
    const same = entries.filter((_, at) => at % period === index);
    return { ...replyOf(entry, same.slice(1)), label: `${index + 1} of ${period}` };
  });
}

/** One response cannot answer differently: of a repeated request it has the first reply. */
function responsesOf({ rules, exchanges }: Group<Entry>): ReadResponse[] {
  const [first] = exchanges as readonly [Entry];
  const same: Entry[] = [];
  for (const entry of exchanges.slice(1)) {
    if (entry.reply === first.reply) same.push(entry);
    else entry.item.note('har.repeat');
  }
  const label = rules
    .map(({ property = 'body', value = '*' }) => `${property}=${value.slice(0, VALUE_SHOWN_CHARS)}`)
    .join('&');
  const { item, unchangedTag, headers } = first;
  const own = rules.length === 0 ? {} : { label: label.slice(0, LABEL_CHARS), rules };
  const answer = { ...replyOf(first, same), ...own };
  if (unchangedTag === undefined) return [answer];
  const unchanged = { target: 'header', property: 'if-none-match', operator: 'equals', value: unchangedTag };
  const kept = headers.filter(({ name }) => !/^content-/i.test(name));
  const notModified = {
    item,
    status: 304,
    headers: kept,
    label: `${label} unchanged`.trim(),
    rules: [...rules, unchanged],
  };
  return [notModified, answer];
}

const VALUE_SHOWN_CHARS = 40;
const LABEL_CHARS = 200;

function replyOf(entry: Entry, same: readonly Entry[]): ReadResponse {
  const { item, status, headers, body, bodyEncoding, stream, latency, sample } = entry;
  const lines = JSON.stringify(headers);
  for (const each of same) if (JSON.stringify(each.headers) !== lines) each.item.note('har.repeat-headers');
  return {
    item,
    others: same.map((each) => each.item),
    status,
    headers,
    ...(stream === undefined ? { body, bodyEncoding } : { stream }),
    ...(latency === undefined ? {} : { latency }),
    ...(sample === undefined ? {} : { sample }),
  };
}
