/**
 * OpenAPI 3.0 and 3.1, and Swagger 2.0: operations become routes, and each status, media type and example one of their responses. Bodies
 * without an example are made from their schemas. Requests are not held against the document unless the import is to validate.
 */
import { isObject } from '../../base/json-object.ts';
import { IMPORT_RESPONSES_MAX, REFERENCES_MAX } from '../../limits.ts';
import { pathShape } from '../exchanges/literal-path.ts';
import type { Detection, ImportOptions, MockFormat, NearMiss, ReadMock, ReadRoute } from '../format.ts';
import { textIn, typed } from '../reading/members.ts';
import type { Item, ReportWriter } from '../report/report.ts';
import type { Bundle } from '../source/bundle.ts';
import type { Member } from '../source/member.ts';
import { referenceIn, References } from '../source/reference.ts';
import { bindStores } from './openapi/bind-stores.ts';
import { countWebhooks, withCallbacks } from './openapi/callback.ts';
import { count, EXTENSIONS, leaveOut, OPERATION, PATH_ITEM, referred, ROOT, type Reading } from './openapi/members.ts';
import { isInexact, routePath, splitPath } from './openapi/path.ts';
import {
  readParameters,
  readRequired,
  readSecurity,
  readSecuritySchemes,
  type Parameters,
  type SecuritySchemes,
} from './openapi/request.ts';
import { readResponses, type Labels } from './openapi/response.ts';
import { conditionsOf, cut, routeOf, type Draft, type Operation } from './openapi/route.ts';
import { Schemas } from './openapi/schema.ts';
import { readBasePath } from './openapi/server.ts';
import { countUnused } from './openapi/unused.ts';
import { withRefusals } from './openapi/validate.ts';

export const openapiFormat: MockFormat = { name: 'openapi', unknown: 'openapi.unknown', detect, read };

const VERSION = /^(3\.[012])(?:\.\d+)?(?:-.*)?$/;

function detect(content: unknown): Detection | NearMiss | undefined {
  if (!isObject(content)) return undefined;
  const { openapi, swagger, swaggerVersion, info, paths } = content;
  if (openapi !== undefined) {
    // YAML reads 3.1 without quotes as a number.
    const text = openapi === 3 ? '3.0' : JSON.stringify(openapi).replaceAll('"', '');
    const [, version] = VERSION.exec(text) ?? [];
    if (version !== undefined) return { format: 'openapi', version, detectedBy: `\`openapi: ${text}\`` };
    return { format: 'openapi', missing: `\`openapi\` is ${JSON.stringify(openapi)}: supported are 3.0 and 3.1` };
  }
  if (swagger === '2.0' || swagger === 2) return { format: 'openapi', version: '2.0', detectedBy: '`swagger: 2.0`' };
  if (swagger !== undefined || swaggerVersion !== undefined) {
    return {
      format: 'openapi',
      missing: `\`swagger\` is ${JSON.stringify(swagger ?? swaggerVersion)}: supported is 2.0`,
    };
  }
  const isNear = isObject(paths) && isObject(info);
  return isNear ? { format: 'openapi', missing: '`openapi` or `swagger` with a version is missing' } : undefined;
}

function read(root: Member, bundle: Bundle, options: ImportOptions, report: ReportWriter): ReadMock[] {
  const references = new References(bundle);
  const reading: Reading = {
    report,
    options,
    references,
    schemas: new Schemas(references, root.file, report, options.faker === true),
    isSwagger: root.has('swagger'),
    counted: new Set(),
    isInexact: (member) => bundle.isInexact(member),
    budget: { responses: IMPORT_RESPONSES_MAX },
    path: '',
  };
  const document = new DocumentReader(root, reading);
  const bound = bindStores(document.routes(), root, reading);
  const { routes } = bound;
  const description = root.at('/info/description')?.text();
  countUnused(root, bundle, reading);
  if (references.isExhausted)
    report.itemOf(root).note('import.references', root, `at most ${REFERENCES_MAX} are resolved`);
  // Requests pick one of them by name, status or media type.
  const isForced = routes.some(({ responses }) => responses.length > 1);
  return [
    {
      name: options.name ?? root.at('/info/title')?.text() ?? '',
      ...(description === undefined ? {} : { description: cut(description) }),
      settings: { ...(isForced ? { forced: true } : {}), ...(bound.stores.length > 0 ? { stores: bound.stores } : {}) },
      routes,
    },
  ];
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
const METHOD = /^[A-Z][A-Z-]{0,31}$/;
/** A path of the document, with what its operations share. */
interface PathItem {
  readonly path: string;
  readonly base: string;
  readonly parameters: Parameters;
}

class DocumentReader {
  readonly #root: Member;
  readonly #reading: Reading;
  readonly #schemes: SecuritySchemes;
  readonly #produces: readonly string[];
  readonly #base: string;
  /** By method and shape of the path. */
  readonly #drafts = new Map<string, Draft>();
  /** Method, shape of the path and conditions of each operation. */
  readonly #taken = new Set<string>();

  constructor(root: Member, reading: Reading) {
    this.#root = root;
    this.#reading = reading;
    count(root, ROOT, 'openapi.description', reading);
    const mock = reading.report.itemOf(root);
    if (root.at('/openapi')?.text()?.startsWith('3.2') === true) mock.note('openapi.version');
    this.#schemes = readSecuritySchemes(root, reading);
    this.#produces = producesOf(root, reading) ?? [];
    this.#base = readBasePath(root, mock, reading) ?? '';
    if (typed(root, 'security', 'array')?.whole() !== undefined) reading.report.count('openapi.request');
    countWebhooks(root, reading);
  }

  routes(): readonly ReadRoute[] {
    const element = typed(this.#root, 'paths', 'object');
    const mock = this.#reading.report.itemOf(this.#root);
    const paths = element && referred(element, 'openapi.part', mock, this.#reading);
    if (paths !== undefined) count(paths, {}, 'openapi.description', this.#reading);
    const names = (paths?.names() ?? []).filter((name) => !EXTENSIONS.test(name));
    if (names.length === 0) mock.note('openapi.no-paths');
    if (paths === undefined) return [];
    const later = new Set(names.filter(isInexact));
    for (const path of [...names.filter((name) => !later.has(name)), ...later]) {
      this.#readPath(paths.get(path) as Member);
    }
    return [...this.#drafts.values()].map(routeOf);
  }

  #readPath(element: Member): void {
    const reading = this.#reading;
    const { report } = reading;
    const place = reading.references.follow(element);
    if (place?.isObject !== true) {
      report.item('route', element).note('openapi.reference', element, referenceIn(element.value));
      leaveOut(element, reading);
      return;
    }
    count(place, PATH_ITEM, 'openapi.description', reading);
    if (place.value !== element.value) count(element, PATH_ITEM, 'openapi.description', reading);
    const mock = report.itemOf(this.#root);
    const item: PathItem = {
      path: element.name,
      base: readBasePath(place, mock, reading) ?? this.#base,
      parameters: readParameters(place, new Map(), mock, reading),
    };
    for (const method of METHODS) {
      const operation = typed(place, method, 'object');
      if (operation !== undefined) this.#readOperation(method.toUpperCase(), operation, item);
    }
    for (const operation of typed(place, 'additionalOperations', 'object')?.members() ?? []) {
      if (operation.isObject && METHOD.test(operation.name)) this.#readOperation(operation.name, operation, item);
    }
  }

  #readOperation(method: string, element: Member, { path, base, parameters: around }: PathItem): void {
    const reading = this.#reading;
    const item = reading.report.item('route', element);
    item.name = `${method} ${base}${path}`;
    // OpenAPI has no references to operations, and many documents have them.
    const operation = referred(element, 'openapi.reference', item, reading);
    if (operation === undefined) return;
    const own = readBasePath(operation, item, reading) ?? base;
    const split = splitPath(path);
    const found = routePath(own, split.path);
    if ('problem' in found) {
      item.note('openapi.path', element, found.problem);
      leaveOut(operation, reading);
      return;
    }
    if (reading.budget.responses <= 0) {
      item.note('import.limit', element, `${IMPORT_RESPONSES_MAX} responses per import`);
      leaveOut(operation, reading);
      return;
    }
    for (const text of found.widened) item.note('openapi.parameter', element, text);
    const parameters = readParameters(operation, around, item, reading);
    const conditions = conditionsOf(split, parameters);
    const shape = `${method} ${pathShape(found.path)}`;
    const key = `${shape} ${JSON.stringify(conditions ?? [])}`;
    const isTaken = this.#taken.has(key);
    if (isTaken && found.widened.length > 0) {
      item.note('openapi.same-path');
      leaveOut(operation, reading);
      return;
    }
    if (isTaken) item.note('openapi.by-name');
    else if (conditions === undefined) item.note('openapi.fragment');
    this.#taken.add(key);
    const draft: Draft = this.#drafts.get(shape) ?? { method, path: found.path, operations: [], labels: new Map() };
    this.#drafts.set(shape, draft);
    const isAlone = !isTaken && (conditions === undefined || conditions.length === 0);
    const label = isAlone ? '' : split.rest || path;
    const about: About = { operation, item, path: found.path, parameters, label, labels: draft.labels };
    draft.operations.push({ ...this.#readReplies(about), item, conditions: conditions ?? [] });
  }

  #readReplies({ operation, item, path, parameters, label, labels }: About): Pick<Operation, 'summary' | 'responses'> {
    // The responses of one operation of several cannot refuse the requests of it alone.
    const validate = this.#reading.options.validate === true && label === '';
    const reading: Reading = { ...this.#reading, options: { ...this.#reading.options, validate }, path };
    const summary = textIn(operation, 'summary') ?? '';
    count(operation, OPERATION, 'openapi.description', reading);
    const required = readRequired(operation, parameters, item, reading);
    const security = readSecurity(operation, this.#root, this.#schemes, reading);
    const produces = producesOf(operation, reading) ?? this.#produces;
    const responses = readResponses(operation, item, { produces, label, labels }, reading);
    const answers = withCallbacks(operation, responses, item, reading);
    return { summary, responses: withRefusals(answers, { required, security }, operation, reading) };
  }
}

/** An operation while it is read. */
interface About {
  readonly operation: Member;
  readonly item: Item;
  /** The path of its route. */
  readonly path: string;
  readonly parameters: Parameters;
  /** The media type of its responses that have no name; "" for none. */
  readonly label: string;
  readonly labels: Labels;
}

/** Media types of Swagger 2.0. */
function producesOf(owner: Member, { report }: Reading): string[] | undefined {
  const list = typed(owner, 'produces', 'array');
  return list?.items().flatMap((element) => {
    const type = element.text();
    if (type === undefined) report.itemOf(element).noteUnknown('openapi.unknown', element);
    else report.count('openapi.description');
    return type ?? [];
  });
}
