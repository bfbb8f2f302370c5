/** Answers of operations on a store: status, headers and body, by dialect. */
import { isObject } from '../../../base/json-object.ts';
import { numberProblem } from '../../../base/strict-json.ts';
import type { WorkBudget } from '../../../languages/work-budget.ts';
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import type { StoreOperation } from '../../../model/mocks/stores/store.ts';
import type { RequestView } from '../request/request-view.ts';
import { baseUrlOf } from '../templates/request-path.ts';
import type { Dialect, GivenParameters } from './dialects.ts';
import { dependentsOf, listItems, withRelated, type ItemPage } from './list-query.ts';
import { disown } from './own-list.ts';
import { performOnAny } from './any-values.ts';
import { FULL, perform as performOnItems, type Failure, type OperationResult } from './operations.ts';
import { copied } from './store-value.ts';
import type { StoreTurn } from './store-turn.ts';

export interface StoreCall {
  readonly op: StoreOperation;
  readonly name: string;
  readonly id: string | undefined;
  /** Status of a success, and of each failure. */
  readonly status: number;
  readonly statuses: Readonly<Record<Failure, number>>;
  readonly dialect: Dialect;
  /** Members that the path names: `/posts/:postId/comments`. Items without these values are not there. */
  readonly members?: readonly (readonly [name: string, value: string])[];
}

export interface OperationAnswer {
  readonly status: number;
  /** JSON; undefined for none. */
  readonly body: unknown;
  readonly headers: readonly HeaderLine[];
  readonly failure?: Failure;
  /** Whether a text is the body as it is, not in quotes. */
  readonly isText?: true;
  /** The function that a script which is the body calls with the value: JSONP. */
  readonly callback?: string;
}

/** @param refused What is wrong with the body. */
export function answerOperation(
  view: RequestView,
  call: StoreCall,
  value: unknown,
  refused?: OperationResult,
): OperationAnswer {
  const { stores: turn } = view;
  const { op, name, id, status, dialect, members = [] } = call;
  const perform = dialect.takesAny ? performOnAny : performOnItems;
  if (turn === undefined) return failure(call, 'missing', 'the mock has no stores');
  const parameters = members.length === 0 ? parametersOf(view) : [...members, ...parametersOf(view)];
  // A missing item is reported before a malformed body.
  const given = op === 'create' && isObject(value) ? { ...value, ...membersOf(members) } : value;
  const asked = { op, name, id, value: given };
  if (id !== undefined && members.length > 0 && !isBelow(perform(turn, { ...asked, op: 'get' }, view), members))
    return failure(call, 'missing', `${JSON.stringify(name)} has no item ${JSON.stringify(id)}`);
  const isAbsent =
    refused !== undefined && id !== undefined && perform(turn, { ...asked, op: 'get' }, view).kind !== 'done';
  const made =
    refused === undefined || isAbsent ? perform(turn, isAbsent ? { ...asked, op: 'get' } : asked, view) : refused;
  if (made.kind !== 'done') return failure(call, made.kind, made.problem);
  switch (op) {
    case 'list': {
      if (!Array.isArray(made.value)) return { status, body: made.value, headers: NO_LINES, ...textOf(dialect) };
      const listed = listItems(made.value as readonly unknown[], parameters, dialect, view);
      // A template may keep it.
      if (listed.items === made.value) disown(made.value);
      const items = withRelated(listed.items, call, parameters, turn, view);
      return { status, body: items, headers: countLines(listed, made.value.length, view, dialect) };
    }
    case 'get':
      return {
        status,
        body: withRelated([made.value], call, parameters, turn, view)[0],
        headers: NO_LINES,
        ...textOf(dialect),
      };
    case 'create':
      return {
        status,
        body: made.value,
        headers: made.id === undefined ? NO_LINES : locationOf(view, made.id),
        ...textOf(dialect),
      };
    case 'remove':
      if (!removeDependents(turn, call, parameters, view)) {
        const { kind, problem } = turn.notKept ?? FULL;
        return failure(call, kind, problem);
      }
      return { status, body: made.value, headers: NO_LINES };
    case 'clear':
    case 'replace':
    case 'merge':
    case 'replaceAll':
    case 'mergeAll':
      return { status, body: made.value, headers: NO_LINES, ...textOf(dialect) };
  }
}

function textOf({ takesAny }: Dialect): Pick<OperationAnswer, 'isText'> {
  return takesAny ? { isText: true } : {};
}

/** Numbers where they are written so. */
function membersOf(members: NonNullable<StoreCall['members']>): object {
  return Object.fromEntries(
    members.map(([name, text]) => [name, /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : copied(text)]),
  );
}

function isBelow(made: OperationResult, members: NonNullable<StoreCall['members']>): boolean {
  if (made.kind !== 'done' || !isObject(made.value)) return false;
  const item = made.value;
  return members.every(([name, text]) => String(item[name]) === text);
}

const NO_LINES: readonly HeaderLine[] = [];

export function failure({ statuses, dialect }: StoreCall, kind: Failure, problem: string): OperationAnswer {
  return { status: statuses[kind], body: dialect.failure(kind, problem), headers: NO_LINES, failure: kind };
}

const NO_PARAMETERS: GivenParameters = [];

function parametersOf(view: RequestView): GivenParameters {
  const pairs = view.queryPairs();
  if (pairs.length === 0) return NO_PARAMETERS;
  return Array.from({ length: pairs.length / 2 }, (_, index) => [pairs[2 * index] ?? '', pairs[2 * index + 1] ?? '']);
}

/** @returns Whether all were removed. */
function removeDependents(
  turn: StoreTurn,
  { name, id, dialect }: StoreCall,
  parameters: GivenParameters,
  view: RequestView,
): boolean {
  for (const [dependent, member] of dependentsOf(name, parameters, dialect, turn)) {
    const store = turn.get(dependent);
    if (store === undefined || !Array.isArray(store.value)) continue;
    view.work -= store.value.length;
    const kept = (store.value as readonly unknown[]).filter(
      (item) => String((item as Readonly<Record<string, unknown>> | null)?.[member]) !== id,
    );
    if (kept.length < store.value.length && !turn.set(store, kept, view)) return false;
  }
  return true;
}

function locationOf(view: RequestView, id: string): readonly HeaderLine[] {
  return [
    { name: 'location', value: `${originOf(view)}${pathOf(view)}${id === '' ? '' : '/'}${encodeURIComponent(id)}` },
  ];
}

/** None for a request without a host, as a dry run may be. */
export function originOf(view: RequestView): string {
  return view.header('host') === undefined ? '' : baseUrlOf(view);
}

export function pathOf(view: RequestView): string {
  const { root = '', path } = view.request;
  return encodeURI(decodeSafely(root + path)).replace(/(?<!\/)\/+$/, '');
}

function decodeSafely(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return '';
  }
}

/** @param all How many items there are before the filters. */
function countLines({ filtered, page }: ItemPage, all: number, view: RequestView, dialect: Dialect): HeaderLine[] {
  const count = String(filtered);
  const lines = [
    { name: 'x-total-count', value: dialect.takesAny ? String(all) : count },
    { name: 'x-filtered-count', value: count },
  ];
  if (page === undefined) return lines;
  const { number, last } = page;
  const links = [
    ['first', 1, true],
    ['prev', number - 1, number > 1],
    ['next', number + 1, number < last],
    ['last', last, true],
  ] as const;
  const urlOf = pageUrls(view);
  const named = links.filter(([, , isThere]) => isThere).map(([rel, to]) => `<${urlOf(to)}>; rel="${rel}"`);
  return [...lines, { name: 'link', value: named.join(', ') }];
}

function pageUrls(view: RequestView): (page: number) => string {
  const query = new URLSearchParams(view.request.query);
  const name = query.has('_page') || !query.has('page') ? '_page' : 'page';
  const start = `${originOf(view)}${pathOf(view)}?`;
  return (page) => {
    query.set(name, String(page));
    return start + query.toString();
  };
}

/** The body as JSON, or as the fields of a form. */
export function bodyValue(
  view: RequestView,
  { takesAny }: Pick<Dialect, 'takesAny'>,
): { readonly value: unknown } | { readonly kind: 'malformed' | 'unsupported' | 'unfit'; readonly problem: string } {
  const type = (view.header('content-type') ?? '').toLowerCase();
  if (takesAny) return anyBody(view, type);
  if (type !== '' && !READABLE.test(type)) {
    return { kind: 'unsupported', problem: `the body must be JSON or a form, not ${type.slice(0, TYPE_CHARS_MAX)}` };
  }
  if (view.json !== undefined) return exactValue(view.bodyText, view.json.value, view);
  const form = view.bodyText === '' ? undefined : view.formObject;
  return form === undefined ? { kind: 'malformed', problem: 'the body must be JSON' } : { value: form };
}

/** Reads bodies that declare to be JSON or a form; anything else is a text, and none an empty object. */
function anyBody(view: RequestView, type: string): ReturnType<typeof exactValue> {
  if (view.bodyText === '') return { value: {} };
  if (view.json !== undefined && /^\s*application\/(?:[^+;]*\+)?json/.test(type))
    return exactValue(view.bodyText, view.json.value, view);
  return { value: view.nestedForm ?? view.formObject ?? view.bodyText };
}

/** @param value Of the text. */
export function exactValue(
  text: string,
  value: unknown,
  budget: WorkBudget,
): { readonly value: unknown } | { readonly kind: 'unfit'; readonly problem: string } {
  const problem = numberProblem(text, budget);
  return problem === undefined ? { value } : { kind: 'unfit', problem };
}

const READABLE =
  /^(?:application\/(?:[a-z0-9.+-]*json|x-www-form-urlencoded|octet-stream)|multipart\/form-data|text\/(?:plain|json))\b/;
const TYPE_CHARS_MAX = 100;
