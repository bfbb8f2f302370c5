/**
 * Reads a `db.json` of json-server: each list and each object is a store, with a route of the kind `crud`, and `/db` is all of it. A
 * `routes.json` beside it may have them below a path, too. The content says nothing of the format, so a file is of the format by its name, or
 * because somebody says so. A file with the member `$schema` of json-server 1 has its ids as texts and no `/db`; otherwise it answers as that of
 * 0.17, which the report says.
 */
import { isObject } from '../../base/json-object.ts';
import { STORES_MAX } from '../../limits.ts';
import { valueProblem } from '../../model/mocks/stores/store-checks.ts';
import { STORE_NAME } from '../../model/mocks/stores/store.ts';
import type { StoreDefinition } from '../../model/mocks/stores/store-schema.ts';
import type { Detection, ImportOptions, MockFormat, ReadMock, ReadRoute } from '../format.ts';
import type { Item, ReportWriter } from '../report/report.ts';
import type { Bundle } from '../source/bundle.ts';
import type { Member } from '../source/member.ts';
import { stableId } from '../stable-id.ts';

export const jsonServerFormat: MockFormat = { name: 'json-server', detect, read };

const NAME = /(?:^|[/\\])db\.json$/i;

function detect(content: unknown, path = ''): Detection | undefined {
  if (!NAME.test(path) || !isObject(content)) return undefined;
  const hasResource = Object.values(content).some((value) => typeof value === 'object' && value !== null);
  return hasResource ? { format: 'json-server', detectedBy: 'the name `db.json`' } : undefined;
}

function read(root: Member, bundle: Bundle, options: ImportOptions, report: ReportWriter): ReadMock[] {
  /** With their names in the file: that of a store has no dots. */
  const stores = new Map<string, StoreDefinition>();
  const routes: ReadRoute[] = [];
  const members = root.members();
  const schema = members.find(isSchemaOf1);
  for (const member of members) {
    if (member === schema) continue;
    const item = report.item('route', member);
    item.name = `/${member.name}`;
    const store = storeOf(member, item, stores, schema !== undefined);
    if (store === undefined) continue;
    if (schema !== undefined) item.count('json-server.version-1');
    else if (!SERVED_NAME.test(member.name)) item.note('json-server.name', member);
    stores.set(member.name, store);
    routes.push(crudRoute(`/${encodeURIComponent(member.name)}`, store.name, item));
  }
  if (schema === undefined) {
    const whole = report.item('route');
    whole.name = '/db';
    routes.push(wholeRoute(stores, whole));
  }
  const prefixes = prefixesIn(bundle.root(root.file.replace(/[^/]*$/, 'routes.json')), report);
  const prefixed = prefixes.flatMap((prefix) =>
    routes.map((route) => ({ ...route, id: stableId('r', prefix, route.path), path: prefix + route.path })),
  );
  return [
    {
      name: options.name ?? options.fileName ?? 'db',
      settings: { stores: [...stores.values()] },
      routes: [...routes, ...prefixed],
    },
  ];
}

/** Name that json-server finds in the path of a request as it is written in the file. */
const SERVED_NAME = /^[\w.~$@!',;=-]+$/;

/** Rules of a `routes.json` that lead from below a path to the root: "/api/*" to "/$1". */
function prefixesIn(rules: Member | undefined, report: ReportWriter): string[] {
  return (rules?.members() ?? []).flatMap((rule) => {
    const prefix = /^((?:\/[\w.~-]+)+)\/\*$/.exec(rule.name)?.[1];
    const item = report.item('route', rule);
    item.name = rule.name;
    if (prefix !== undefined && rule.whole() === '/$1') return [prefix];
    item.note('json-server.rewrite', rule, rule.name);
    return [];
  });
}

function isSchemaOf1(member: Member): boolean {
  if (member.name !== '$schema') return false;
  const schema = member.whole();
  return typeof schema === 'string' && schema.includes('json-server');
}

function storeOf(
  member: Member,
  item: Item,
  others: ReadonlyMap<string, StoreDefinition>,
  areIdsTexts: boolean,
): StoreDefinition | undefined {
  const value = member.whole();
  if (typeof value !== 'object' || value === null) {
    item.note('json-server.value', member);
    return undefined;
  }
  const store = {
    name: member.name.replaceAll('.', '_'),
    value: Array.isArray(value) ? withoutRepeated(areIdsTexts ? value.map(withTextId) : value, item, member) : value,
  };
  const problem =
    others.size >= STORES_MAX
      ? `a mock may have at most ${STORES_MAX} stores`
      : STORE_NAME.test(store.name) && ![...others.values()].some(({ name }) => name === store.name)
        ? valueProblem(store)
        : 'its name';
  if (problem === undefined) return store;
  item.note('json-server.store', member, problem);
  return undefined;
}

function withTextId(item: unknown): unknown {
  return isObject(item) && typeof item.id === 'number' ? { ...item, id: String(item.id) } : item;
}

/** The first of the items with one id. */
function withoutRepeated(items: readonly unknown[], item: Item, member: Member): unknown[] {
  const ids = new Set<unknown>();
  const kept = items.filter((each) => {
    const id = isObject(each) ? each.id : undefined;
    if (typeof id !== 'string' && typeof id !== 'number') return true;
    const isKnown = ids.has(String(id));
    ids.add(String(id));
    return !isKnown;
  });
  if (kept.length < items.length) item.note('json-server.ids', member);
  return kept;
}

function crudRoute(path: string, store: string, item: Item): ReadRoute {
  return {
    item,
    id: stableId('r', 'crud', path),
    kind: 'crud',
    store,
    dialect: 'json-server',
    method: 'ANY',
    path,
    responses: [{ item }],
  };
}

function wholeRoute(stores: ReadonlyMap<string, StoreDefinition>, item: Item): ReadRoute {
  const bodyOf = (helper: (store: string) => string): string =>
    `{${[...stores].map(([name, store]) => `${JSON.stringify(name)}: {{${helper(`store '${store.name}'`)}}}`).join(', ')}}`;
  const typed = (type: string) => [{ name: 'content-type', value: `${type}; charset=utf-8` }];
  const callback = "{{queryParam 'callback'}}";
  return {
    item,
    id: stableId('r', 'db'),
    method: 'GET',
    path: '/db',
    responses: [
      {
        item,
        templated: true,
        headers: typed('text/javascript'),
        body: `/**/ typeof ${callback} === 'function' && ${callback}(${bodyOf((store) => `json (${store})`)});`,
        rules: [{ target: 'query', property: 'callback', operator: 'regex', value: '^[\\[\\]\\w$.]+$' }],
      },
      { item, templated: 'json', headers: typed('application/json'), body: bodyOf((store) => store) },
    ],
  };
}
