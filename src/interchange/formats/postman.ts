/**
 * Postman collections 2.0 and 2.1: requests become routes, and saved responses what these answer, distinguished by the requests that they were
 * saved with. Scripts are not run. Credentials of requests never enter.
 */
import { essenceOf } from '../../base/content-type.ts';
import { isObject } from '../../base/json-object.ts';
import { LabelNames } from '../exchanges/label-names.ts';
import { pathShape, routeMethod } from '../exchanges/literal-path.ts';
import { PathIndex } from '../exchanges/path-index.ts';
import { headerOf } from '../exchanges/reply-headers.ts';
import { withDefault, withIds } from '../exchanges/responses.ts';
import { tellApart, type Exchange, type Group } from '../exchanges/tell-apart.ts';
import type { Detection, ImportOptions, MockFormat, NearMiss, ReadMock, ReadResponse, ReadRoute } from '../format.ts';
import { countMembers, type Members, objectsIn, scalarText, textIn, typed } from '../reading/members.ts';
import type { Item, ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';
import { stableId } from '../stable-id.ts';
import { countRequest, readReply, requestBody, requestHeader, type SavedReply } from './postman-response.ts';
import { readUrl, segmentsOf, valuesOfPath, type PostmanUrl, type Variables } from './postman-url.ts';

export const postmanFormat: MockFormat = { name: 'postman', detect, read };

const SCHEMA = /\/collection\/v(\d+(?:\.\d+)?)\b/;
const EXPORT = 'export the collection as v2.1';

function detect(content: unknown): Detection | NearMiss | undefined {
  if (!isObject(content)) return undefined;
  const { collection } = content;
  const [root, wrapper] =
    isObject(collection) && !('info' in content) ? [collection, '`collection`, with '] : [content, ''];
  const { info, item, requests } = root;
  if (Array.isArray(requests) && ('order' in root || 'folders' in root)) {
    return { format: 'postman', missing: `it is a collection of v1: ${EXPORT}` };
  }
  if (!isObject(info) || (typeof info.schema !== 'string' && !Array.isArray(item))) return undefined;
  const [, named] = (typeof info.schema === 'string' && SCHEMA.exec(info.schema)) || [];
  // Without a minor version it is the first of them.
  const version = named === '2' ? '2.0' : named;
  if (version !== '2.0' && version !== '2.1') {
    const missing = `\`info.schema\` names ${version === undefined ? 'no version' : `v${version}`}: supported are 2.0 and 2.1, ${EXPORT}`;
    // Other tools describe their schema in `info`, too.
    return version === undefined && !Array.isArray(item) ? undefined : { format: 'postman', missing };
  }
  if (!Array.isArray(item)) return { format: 'postman', missing: '`item` is not an array' };
  return { format: 'postman', version, detectedBy: `${wrapper}\`info.schema\`` };
}

const SCRIPTS: Members = { event: ['array'] };
const AUTH: Members = { auth: ['object'] };
/** Members that collections, folders, requests and items share. */
const DESCRIBED: Members = {
  id: ['text'],
  uid: ['text'],
  _postman_id: ['text'],
  _postman_isSubFolder: ['flag'],
  description: ['text', 'object'],
  protocolProfileBehavior: ['object'],
};
const INFO: Members = {
  ...DESCRIBED,
  name: ['text'],
  schema: ['text'],
  version: ['text', 'object'],
  _exporter_id: ['text'],
  _collection_link: ['text'],
  updatedAt: ['text'],
  createdAt: ['text'],
  lastUpdatedBy: ['text'],
  fork: ['object'],
};
const REQUEST: Members = {
  method: ['text'],
  name: ['text'],
  description: ['text', 'object'],
  proxy: ['object'],
  certificate: ['object'],
};
const VARIABLE: Members = {
  id: ['text'],
  key: ['text'],
  name: ['text'],
  value: ['text', 'number', 'flag'],
  type: ['text'],
  description: ['text', 'object'],
  disabled: ['flag'],
  system: ['flag'],
};

/** A saved response, with the request that it was saved with. */
interface Saved {
  readonly item: Item;
  readonly reply: SavedReply;
  readonly method: string;
  readonly url: PostmanUrl;
  readonly accept: string;
  readonly body: ReturnType<typeof requestBody>;
  /** The route of the request that it belongs to. */
  readonly draft: Draft;
}

/** One route while it is put together. */
interface Draft {
  readonly item: Item;
  readonly method: string;
  readonly path: string;
  /** Folders and names of its requests. */
  readonly names: string[];
  readonly answers: Answer[];
}

/** A response on its route. */
interface Answer extends Exchange, SavedReply {
  readonly item: Item;
  /** The request that it was saved with. */
  readonly accept: string;
}

/** A request as it is sent. */
interface PostmanRequest {
  readonly method: string;
  readonly url: PostmanUrl;
  /** Undefined when it is a URL alone. */
  readonly request: Member | undefined;
}

function read(root: Member, _bundle: unknown, options: ImportOptions, report: ReportWriter): ReadMock[] {
  const collection = root.has('info') ? root : (typed(root, 'collection', 'object') as Member);
  const info = typed(collection, 'info', 'object') as Member;
  countMembers(info, INFO, { code: 'postman.collection' }, report);
  const reader = new CollectionReader(report);
  reader.readFolder(collection, [], new Map());
  reader.assign();
  const routes = reader.routes();
  for (const host of reader.hosts) report.itemOf(root).note('postman.host', root, host);
  const settings = reader.hasNamed ? { settings: { forced: true } } : {};
  const hosts = [...reader.hosts].filter((host) => HOST.test(host));
  return [{ name: options.name ?? info.at('/name')?.text() ?? '', ...settings, hosts, routes }];
}

/** With a known value, which a variable may have. */
const HOST = /^[\w.-]+(?::\d+)?$/;

const NO_BODY: ReturnType<typeof requestBody> = { text: '', values: () => [] };

class CollectionReader {
  readonly #report: ReportWriter;
  /** By method and shape of the path. */
  readonly #drafts = new Map<string, Draft>();
  readonly #saved: Saved[] = [];
  /** Those of requests, which are left out. */
  readonly hosts = new Set<string>();
  /** Whether some response is sent only to a request that names it. */
  hasNamed = false;

  constructor(report: ReportWriter) {
    this.#report = report;
  }

  /** @param names Of the folders around, and of this one. */
  readFolder(folder: Member, names: readonly string[], around: Variables): void {
    const report = this.#report;
    countCommon(folder, report);
    const variables = variablesIn(folder, around, report);
    for (const element of objectsIn(folder, 'item', report)) {
      const name = textIn(element, 'name') ?? '';
      if (element.has('item') && !element.has('request')) this.readFolder(element, [...names, name], variables);
      else this.#readRequest(element, [...names, name], variables);
    }
  }

  #readRequest(element: Member, names: readonly string[], around: Variables): void {
    const report = this.#report;
    const item = report.item('route', element);
    item.name = names.at(-1);
    countCommon(element, report);
    const variables = variablesIn(element, around, report);
    const request = typed(element, 'request', 'object');
    // A text is the URL of a GET.
    const owner = request ?? (element.at('/request')?.text() === undefined ? undefined : element);
    const url = owner && readUrl(owner, request === undefined ? 'request' : 'url', variables, report);
    const method = request === undefined ? 'GET' : methodIn(request);
    if (method === undefined || url?.path === undefined) {
      element.whole();
      item.note('postman.url');
      return;
    }
    item.name = `${method} ${url.path}`;
    if (request !== undefined) countOthers(request, report);
    for (const { code, detail } of url.notes) item.note(code, request, detail);
    if (url.host !== '') this.hosts.add(url.host);
    const draft = this.#draftOf(method, url.path, item);
    draft.names.push(names.filter((name) => name !== '').join(' / '));
    const responses = objectsIn(element, 'response', report);
    if (element.at('/response')?.value === null) element.get('response');
    if (responses.length === 0) item.note('postman.no-example');
    for (const response of responses) this.#readResponse(response, draft, { method, url, request }, variables);
  }

  #readResponse(response: Member, draft: Draft, sent: PostmanRequest, variables: Variables): void {
    const item = this.#report.item('response', response);
    const reply = readReply(response, item, this.#report, variables);
    const own = this.#sentFor(response, sent, variables);
    if (own !== sent) for (const { code, detail } of own.url.notes) item.note(code, own.request, detail);
    const { method, url, request } = own;
    const body = request === undefined ? NO_BODY : requestBody(request, variables);
    const accept = request === undefined ? '' : requestHeader(request, 'accept');
    this.#saved.push({ item, reply, method, url, accept, body, draft });
  }

  /** The request that a response was saved with; without one that has a route, the request that it belongs to. */
  #sentFor(response: Member, sent: PostmanRequest, variables: Variables): PostmanRequest {
    if (response.at('/originalRequest')?.value === null) response.get('originalRequest');
    const original = typed(response, 'originalRequest', 'object');
    if (original === undefined) return sent;
    const url = readUrl(original, 'url', variables, this.#report);
    const method = methodIn(original);
    countOthers(original, this.#report);
    const isRoute = original.has('url') && url.path !== undefined && method !== undefined;
    return isRoute ? { method, url, request: original } : { ...sent, request: original };
  }

  /** @param item Of the request that has the path; undefined where a response alone has it. */
  #draftOf(method: string, path: string, item?: Item): Draft {
    const shape = `${method} ${pathShape(path)}`;
    let draft = this.#drafts.get(shape);
    if (draft === undefined) {
      draft = { item: item ?? this.#report.item('route'), method, path, names: [], answers: [] };
      this.#drafts.set(shape, draft);
    }
    return draft;
  }

  routes(): ReadRoute[] {
    return [...this.#drafts.values()].map((draft) => {
      const { item, answers } = draft;
      if (answers.length === 0) return routeOf(draft, [{ item, status: 200 }]);
      const groups = tellApart(answers);
      this.hasNamed ||= groups.some(hasNamed);
      const names = new LabelNames(answers.map(({ label }) => label));
      return routeOf(
        draft,
        groups.flatMap((group) => responsesOf(group, names)),
      );
    });
  }

  /** Puts every saved response on the route that the request it was saved with reaches. */
  assign(): void {
    // First all routes, since one of literals takes requests from one with parameters.
    for (const saved of this.#saved) if (!isOfDraft(saved)) this.#draftOf(saved.method, saved.url.path ?? '');
    const index = new Map<string, PathIndex>();
    for (const { method, path } of this.#drafts.values()) {
      const paths = index.get(method) ?? new PathIndex();
      index.set(method, paths);
      paths.add(path);
    }
    for (const saved of this.#saved) {
      const { item, reply, method, url, accept, body, draft } = saved;
      const texts = segmentsOf(url);
      const reached = texts && index.get(method)?.find(texts);
      const target =
        reached === undefined && isOfDraft(saved) ? draft : this.#draftOf(method, reached ?? url.path ?? '');
      const parameters = valuesOfPath(url.path ?? '', url.parameters, target.path) ?? [];
      target.answers.push({
        ...reply,
        item,
        accept,
        identity: JSON.stringify([url.path, url.parameters, url.query, body.text]),
        reply: JSON.stringify([reply.status, headerOf(reply.headers, 'content-type'), reply.body]),
        values: [...parameters, ...url.query],
        bodyValues: body.values,
      });
    }
  }
}

function isOfDraft({ method, url, draft }: Saved): boolean {
  return method === draft.method && valuesOfPath(url.path ?? '', url.parameters, draft.path) !== undefined;
}

function countCommon(owner: Member, report: ReportWriter): void {
  countMembers(owner, DESCRIBED, { code: 'postman.collection' }, report);
  countMembers(owner, SCRIPTS, { code: 'postman.script' }, report);
  countMembers(owner, AUTH, { code: 'postman.auth' }, report);
}

function countOthers(request: Member, report: ReportWriter): void {
  countMembers(request, REQUEST, { code: 'postman.collection' }, report);
  countMembers(request, AUTH, { code: 'postman.auth' }, report);
  countRequest(request, report);
}

/** @returns undefined for what is not a method of a route. */
function methodIn(request: Member): string | undefined {
  return routeMethod(request.has('method') ? (textIn(request, 'method') ?? '') : 'GET');
}

/** Those of the folders around, and its own. */
function variablesIn(owner: Member, around: Variables, report: ReportWriter): Variables {
  const list = owner.at('/variable')?.value;
  countMembers(owner, { variable: VARIABLE }, { code: 'postman.collection' }, report);
  if (!Array.isArray(list)) return around;
  const variables = new Map(around);
  for (const each of list as unknown[]) {
    if (!isObject(each) || each.disabled === true) continue;
    const name = each.key ?? each.id;
    const value = scalarText(each.value);
    if (typeof name === 'string' && value !== undefined) variables.set(name, value);
  }
  return variables;
}

function routeOf({ item, method, path, names }: Draft, responses: readonly ReadResponse[]): ReadRoute {
  const description = names.filter((name) => name !== '').join('\n');
  return {
    item,
    id: stableId('r', method, path),
    method,
    path,
    description:
      description.length > DESCRIPTION_CHARS_MAX ? `${description.slice(0, DESCRIPTION_CHARS_MAX - 1)}…` : description,
    responses: withIds(withDefault(responses)),
  };
}

const DESCRIPTION_CHARS_MAX = 10_000;

function hasNamed({ exchanges }: Group<Answer>): boolean {
  return exchanges.some(({ reply }) => reply !== exchanges[0]?.reply);
}

/** All have the rules of the group, so that the first is chosen; the others are there to be named. */
function responsesOf({ rules, exchanges }: Group<Answer>, names: LabelNames): ReadResponse[] {
  const [first] = exchanges as readonly [Answer, ...Answer[]];
  const types = new Set(exchanges.flatMap((each) => (each.status === first.status ? [mediaType(each)] : [])));
  return exchanges.map(({ item, reply, label, status, headers, body, templated, accept }) => {
    const isNamed = reply !== first.reply;
    const name = isNamed ? names.distinct(label) : names.keep(label);
    if (isNamed) item.note('postman.by-name', undefined, name);
    // A request that accepts anything gets the first.
    else if (types.size > 1 && !ANY_TYPE.test(accept)) item.note('postman.by-type');
    const isTemplate = templated ? { templated } : {};
    return { item, label: name, status, headers, body, ...isTemplate, ...(rules.length === 0 ? {} : { rules }) };
  });
}

const ANY_TYPE = /^(?:\*\/\*)?$/;

function mediaType({ headers }: Answer): string {
  return essenceOf(headerOf(headers, 'content-type') ?? '');
}
