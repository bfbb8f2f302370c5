/** Checks of stores, of steps and of routes of the kind `crud` that schemas cannot express; and what looks like a mistake. */
import { isObject } from '../../../base/json-object.ts';
import { STORE_ITEMS_MAX, STORE_VALUE_BYTES_MAX } from '../../../limits.ts';
import { storeHelpersIn, storeNamesIn, templateProblem } from '../../../languages/templates/template-checks.ts';
import type { WorkBudget } from '../../../languages/work-budget.ts';
import type { Report } from '../behaviour/behaviour-checks.ts';
import { conditionsOf } from '../definition/conditions.ts';
import type { MockDefinition, MockResponse, MockRoute, MockSettings } from '../definition/definition.ts';
import { pathProblem } from '../definition/edit-checks.ts';
import { eventsOf, eventTexts } from '../streams/stream.ts';
import { templatesOf } from '../upstream/callbacks.ts';
import { servedPlaces } from './crud.ts';
import { ID_MEMBER, storePathOf } from './store.ts';
import type { StoreDefinition } from './store-schema.ts';

export function checkStores({ stores = [] }: Partial<Pick<MockSettings, 'stores'>>, report: Report): void {
  const names = new Set<string>();
  for (const [index, store] of stores.entries()) {
    if (names.has(store.name)) report(`/${index}/name`, `${JSON.stringify(store.name)} is a duplicate`);
    names.add(store.name);
    const problem = valueProblem(store);
    if (problem !== undefined) report(`/${index}/value`, problem);
  }
}

/** Why a store cannot begin with its value. */
export function valueProblem({ value, templated, idMember = ID_MEMBER }: StoreDefinition): string | undefined {
  if (Buffer.byteLength(JSON.stringify(value)) > STORE_VALUE_BYTES_MAX)
    return `must have at most ${STORE_VALUE_BYTES_MAX} bytes as JSON`;
  if (templated !== undefined) {
    if (typeof value !== 'string') return 'must be the text of a template with templated';
    return storeHelpersIn(value)
      ? 'the initial value of a store cannot use stores'
      : templateProblem(value, templated === 'json' ? 'json' : 'text');
  }
  if (!Array.isArray(value)) return undefined;
  if (value.length > STORE_ITEMS_MAX) return `must have at most ${STORE_ITEMS_MAX} items`;
  const ids = new Set<string>();
  for (const item of value as readonly unknown[]) {
    if (!isObject(item) || !Object.hasOwn(item, idMember)) continue;
    const id = String(item[idMember]);
    if (ids.has(id)) return `has several items with the ${idMember} ${JSON.stringify(id)}`;
    ids.add(id);
  }
  return undefined;
}

export function checkStoreStep(response: MockResponse, report: Report): void {
  const { store: step, stream, proxy, headers } = response;
  if (stream !== undefined || proxy !== undefined) {
    const member = stream === undefined ? 'proxy' : 'stream';
    if (step !== undefined) report('/store', `cannot be combined with ${member}`);
    const texts = [
      ...headers.map(({ value }) => value),
      proxy?.path ?? '',
      ...eventsOf(response).flatMap((event) => eventTexts(event).map(({ text }) => text)),
    ];
    if (response.templated !== false && texts.some(storeHelpersIn))
      report(`/${member}`, 'callback templates cannot use stores: conditions of the response can');
  }
  if (step === undefined) return;
  const id = step.id === undefined ? undefined : templateProblem(step.id, 'text');
  if (id !== undefined) report('/store/id', id);
  const value = step.value === undefined ? undefined : templateProblem(step.value, 'json');
  if (value !== undefined) report('/store/value', value);
  for (const [member, text] of Object.entries(step.within ?? {})) {
    const problem = templateProblem(text, 'text');
    if (problem !== undefined) report(`/store/within/${member}`, problem);
  }
}

/** @returns The member at fault and why; undefined without a fault. */
export function crudProblem(route: MockRoute): { readonly path: string; readonly message: string } | undefined {
  const { kind, store, dialect, method, pathKind, otherwise, selection, responses } = route;
  if (kind !== 'crud') {
    if (store === undefined && dialect === undefined) return undefined;
    return { path: store === undefined ? '/dialect' : '/store', message: 'is only for the kind crud' };
  }
  if (store === undefined) return { path: '/store', message: 'is required by the kind crud' };
  if (method !== 'ANY') return { path: '/method', message: 'must be absent: the kind crud serves several methods' };
  if (pathKind !== undefined)
    return { path: '/pathKind', message: 'the path of the kind crud must consist of segments' };
  if (otherwise !== undefined) return { path: '/otherwise', message: 'the kind crud answers with its last response' };
  if (selection !== 'rules') return { path: '/selection', message: 'the kind crud requires the selection rules' };
  for (const place of servedPlaces(route)) {
    const problem = pathProblem(place);
    if (problem !== undefined) return { path: '/path', message: `followed by the id of an item: ${problem}` };
  }
  const at = `/responses/${responses.length - 1}`;
  const last = responses.at(-1);
  if (last === undefined) return undefined;
  const other = responses.slice(0, -1).findIndex((each) => each.default);
  if (other !== -1)
    return { path: `/responses/${other}/default`, message: 'the last response of the kind crud must be the default' };
  if (last.rules.length > 0)
    return { path: `${at}/rules`, message: 'the last response of the kind crud must have no conditions' };
  const own = (['body', 'stream', 'proxy', 'store'] as const).find((member) => (last[member] ?? '') !== '');
  return own && { path: `${at}/${own}`, message: 'the last response of the kind crud must be the answer of the store' };
}

/** Like those of warnings.ts. */
interface StoreWarning {
  readonly routeId?: string;
  readonly responseId?: string;
  readonly warning: string;
}

/** @param routes Those that are enabled. @param budget Work in characters: what it does not suffice for is not said. */
export function storeWarnings(
  routes: MockDefinition['routes'],
  { stores = [] }: MockSettings,
  budget: WorkBudget,
): StoreWarning[] {
  const known = new Set(stores.map(({ name }) => name));
  const used = new Set<string>();
  const warnings: StoreWarning[] = [];
  const unknown = (name: string): string => `names the store ${JSON.stringify(name)}, which the settings lack`;
  for (const route of routes) {
    if (route.store !== undefined) {
      used.add(route.store);
      if (!known.has(route.store)) warnings.push({ routeId: route.id, warning: unknown(route.store) });
      const store = stores.find(({ name }) => name === route.store);
      if (store !== undefined && store.templated === undefined && !Array.isArray(store.value) && !isObject(store.value))
        warnings.push({
          routeId: route.id,
          warning: `lists the store ${JSON.stringify(route.store)}, which is not a list`,
        });
    }
    for (const response of route.responses) {
      if (budget.work <= 0) return warnings;
      for (const name of storeNamesOf(response, budget)) {
        used.add(name);
        if (!known.has(name)) warnings.push({ routeId: route.id, responseId: response.id, warning: unknown(name) });
      }
    }
  }
  for (const { relations = {} } of stores) for (const name of Object.keys(relations)) used.add(name);
  for (const { name } of stores) {
    if (!used.has(name)) warnings.push({ warning: `have the store ${JSON.stringify(name)}, which no route uses` });
  }
  return warnings;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const namesOf = new WeakMap<MockResponse, ReadonlySet<string>>();

/** Computed once for a response, which never changes. */
function storeNamesOf(response: MockResponse, budget: WorkBudget): ReadonlySet<string> {
  const known = namesOf.get(response);
  if (known !== undefined) return known;
  const { store, rules, templated, body, headers, callbacks = [] } = response;
  const texts = [
    ...(templated === false ? [] : [body, ...headers.map(({ value }) => value)]),
    ...callbacks.flatMap(templatesOf),
    store?.id ?? '',
    store?.value ?? '',
    ...Object.values(store?.within ?? {}),
  ];
  for (const { length } of texts) budget.work -= length;
  const names = new Set([
    ...(store === undefined ? [] : [store.name]),
    ...conditionsOf(rules).flatMap(({ target, property }) => (target === 'store' ? [storePathOf(property).name] : [])),
    ...texts.flatMap((text) => [...storeNamesIn(text)]),
  ]);
  namesOf.set(response, names.size === 0 ? NO_NAMES : names);
  return names;
}
