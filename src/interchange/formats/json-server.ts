/**
 * Reads a `db.json` of json-server: each list and each object is a store, with a route of the kind `crud`, and `/db` is all of it. The
 * content says nothing of the format, so a file is of the format by its name, or because somebody says so. A file with the member
 * `$schema` of json-server 1 is read by the habits of that version: ids are texts, and there is neither `/db` nor `/posts/:postId/comments`.
 */
import { isObject } from '../../base/json-object.ts';
import { STORES_MAX } from '../../limits.ts';
import { valueProblem } from '../../model/mocks/stores/store-checks.ts';
import { singularOf, STORE_NAME, type DialectName, type StoreDefinition } from '../../model/mocks/stores/store.ts';
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
  const schema = root
    .members()
    .find(({ name }) => name === SCHEMA)
    ?.whole();
  const isVersion1 = typeof schema === 'string' && schema.includes('json-server');
  const dialect = isVersion1 ? 'json-server-1' : 'json-server';
  for (const member of root.members()) {
    if (member.name === SCHEMA && isVersion1) continue;
    const item = report.item('route', member);
    item.name = `/${member.name}`;
    const store = storeOf(member, item, stores.length, isVersion1);
    if (store === undefined) continue;
    stores.push(store);
    routes.push(crudRoute(`/${encodeURIComponent(member.name)}`, store.name, dialect, item));
  }
  const related = stores.map((store) => withRelations(store, stores));
  for (const store of isVersion1 ? [] : related) {
    for (const [child, member] of Object.entries(store.relations ?? {})) {
      const item = report.item('route');
      item.name = `/${store.name}/:${member}/${child}`;
      const path = `/${encodeURIComponent(store.name)}/:${member}/${encodeURIComponent(child)}`;
      // A parameter of a path has no other characters.
      if (/^[A-Za-z_]\w*$/.test(member)) routes.push(crudRoute(path, child, dialect, item));
    }
  }
  if (!isVersion1) routes.push(wholeRoute(related, report));
  return [{ name: options.name ?? options.fileName ?? 'db', settings: { stores: related }, routes }];
}

const SCHEMA = '$schema';

function storeOf(member: Member, item: Item, count: number, hasTextIds: boolean): StoreDefinition | undefined {
  const value = member.whole();
  if (typeof value !== 'object' || value === null) {
    item.note('json-server.value', member);
    return undefined;
  }
  const store = {
    name: member.name,
    value: Array.isArray(value) ? withoutRepeated(hasTextIds ? value.map(withTextId) : value, item, member) : value,
  };
  const problem =
    count >= STORES_MAX
      ? `a mock has at most ${STORES_MAX} stores`
      : STORE_NAME.test(store.name)
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

function crudRoute(path: string, store: string, dialect: DialectName, item: Item): ReadRoute {
  return {
    item,
    id: stableId('r', 'crud', path),
    kind: 'crud',
    store,
    dialect,
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
