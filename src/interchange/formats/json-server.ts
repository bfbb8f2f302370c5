/**
 * Reads a `db.json` of json-server: each list and each object is a store, with a route of the kind `crud`, and `/db` is all of it. The
 * content says nothing of the format, so a file is of the format by its name, or because somebody says so. A file with the member
 * `$schema` of json-server 1 answers as that of 0.17, which the report says.
 */
import { isObject } from '../../base/json-object.ts';
import { STORES_MAX } from '../../limits.ts';
import { valueProblem } from '../../model/mocks/stores/store-checks.ts';
import { singularOf, STORE_NAME } from '../../model/mocks/stores/store.ts';
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

function read(root: Member, _bundle: Bundle, options: ImportOptions, report: ReportWriter): ReadMock[] {
  const stores: StoreDefinition[] = [];
  const routes: ReadRoute[] = [];
  const members = root.members();
  const schema = members.find(isSchemaOf1);
  for (const member of members) {
    if (member === schema) continue;
    const item = report.item('route', member);
    item.name = `/${member.name}`;
    const store = storeOf(member, item, stores.length);
    if (store === undefined) continue;
    if (schema !== undefined) item.count('json-server.version-1');
    stores.push(store);
    routes.push(crudRoute(`/${encodeURIComponent(member.name)}`, store.name, item));
  }
  const related = stores.map((store) => withRelations(store, stores));
  for (const store of related) {
    for (const [child, member] of Object.entries(store.relations ?? {})) {
      const item = report.item('route');
      item.name = `/${store.name}/:${member}/${child}`;
      const path = `/${encodeURIComponent(store.name)}/:${member}/${encodeURIComponent(child)}`;
      // A parameter of a path has no other characters.
      if (/^[A-Za-z_]\w*$/.test(member)) routes.push(crudRoute(path, child, item));
    }
  }
  routes.push(wholeRoute(related, report));
  return [{ name: options.name ?? options.fileName ?? 'db', settings: { stores: related }, routes }];
}

function isSchemaOf1(member: Member): boolean {
  if (member.name !== '$schema') return false;
  const schema = member.whole();
  return typeof schema === 'string' && schema.includes('json-server');
}

function storeOf(member: Member, item: Item, count: number): StoreDefinition | undefined {
  const value = member.whole();
  if (typeof value !== 'object' || value === null) {
    item.note('json-server.value', member);
    return undefined;
  }
  const store = {
    name: member.name,
    value: Array.isArray(value) ? withoutRepeated(value, item, member) : value,
  };
  const problem =
    count >= STORES_MAX
      ? `a mock may have at most ${STORES_MAX} stores`
      : STORE_NAME.test(store.name)
        ? valueProblem(store)
        : 'its name';
  if (problem === undefined) return store;
  item.note('json-server.store', member, problem);
  return undefined;
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

/** Lists whose items have the id of an item in a member such as `postId`. */
function withRelations(store: StoreDefinition, all: readonly StoreDefinition[]): StoreDefinition {
  if (!Array.isArray(store.value)) return store;
  const member = `${singularOf(store.name)}Id`;
  const children = all.filter(
    ({ value }) => Array.isArray(value) && value.some((item) => isObject(item) && Object.hasOwn(item, member)),
  );
  if (children.length === 0) return store;
  return { ...store, relations: Object.fromEntries(children.map(({ name }) => [name, member])) };
}

function wholeRoute(stores: readonly StoreDefinition[], report: ReportWriter): ReadRoute {
  const item = report.item('route');
  item.name = '/db';
  const members = stores.map(({ name }) => `${JSON.stringify(name)}: {{store '${name}'}}`);
  return {
    item,
    id: stableId('r', 'db'),
    method: 'GET',
    path: '/db',
    responses: [
      {
        item,
        templated: 'json',
        headers: [{ name: 'content-type', value: 'application/json; charset=utf-8' }],
        body: `{${members.join(', ')}}`,
      },
    ],
  };
}
