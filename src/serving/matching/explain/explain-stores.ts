/** For explain.ts: what a request would do to stores, on a copy of their values. The fast way is compile/with-store.ts. */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import type { HeaderLine, MockResponse, MockSettings } from '../../../model/mocks/definition/definition.ts';
import type { PlacedResponse } from '../compile/placed-response.ts';
import {
  answerNotKept,
  compileStoreCall,
  failureIndex,
  failureText,
  JSON_LINE,
  resultOf,
  SCRIPT_LINES,
} from '../compile/with-store.ts';
import type { RequestView } from '../request/request-view.ts';
import type { OperationAnswer } from '../stores/answer-operation.ts';
import { renderedValue } from '../stores/rendered-value.ts';
import { beginWith, changedTo, firstValue, type StoreValue } from '../stores/store-value.ts';
import { NO_GLOBALS, type StoreSet, type StoreTurn } from '../stores/store-turn.ts';
import type { renderResponse } from './render-response.ts';

/** A value before and after the request. */
export interface StoreChange {
  /** "users.0", "totals.count"; the name of the store alone for all of it. Globals begin with "global". */
  readonly path: string;
  /** Absent where there is none. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Changes that are shown. */
const CHANGES_MAX = 100;

const UNBOUNDED = { work: Infinity };

/** @param live JSON of what the stores have now, and the globals; when absent they begin. */
export function storesFor({ stores = [], ...settings }: MockSettings, live: string | undefined): StoreSet {
  const now = (live === undefined ? {} : JSON.parse(live)) as {
    readonly stores?: JsonObject;
    readonly globals?: JsonObject;
  };
  const values = stores.map((definition): [string, StoreValue] => {
    const { name, value, templated } = definition;
    const first = firstValue(
      definition,
      templated === undefined ? value : renderedValue(definition, settings, settings.seed),
    );
    const known = now.stores !== undefined && Object.hasOwn(now.stores, name) ? now.stores[name] : first.value;
    const begun = beginWith(first);
    const store = changedTo(begun, known, UNBOUNDED);
    return [name, typeof store === 'string' ? begun : store];
  });
  const globals = now.globals === undefined ? NO_GLOBALS : changedTo(NO_GLOBALS, now.globals, UNBOUNDED);
  return {
    stores: new Map(values),
    globals: typeof globals === 'string' ? NO_GLOBALS : globals,
    usage: { refusal: () => undefined, add: () => undefined },
    seed: settings.seed,
    idsMade: 0,
  };
}

type Rendered = ReturnType<typeof renderResponse>;
type OutgoingResponse =
  | { readonly status: number; readonly headers: readonly HeaderLine[]; readonly body: Buffer }
  | { readonly problem: string };

/** @param render Renders the response, once its operation is done. */
export function explainStored(
  placed: PlacedResponse,
  view: RequestView,
  render: (response: MockResponse) => Rendered,
): OutgoingResponse {
  const { route, response } = placed;
  const { stores: turn } = view;
  const call = compileStoreCall(placed);
  const made = call?.perform(view);
  if (view.work < 0) return { problem: turn?.problem ?? view.problem };
  if (made?.failure !== undefined) {
    const own = route.responses[failureIndex(route, made.status)];
    if (own === undefined) return failed(made);
    const rendered = render(own);
    return 'problem' in rendered ? rendered : { ...rendered, status: own.status };
  }
  if (turn !== undefined) turn.result = made;
  const rendered = render(response);
  if (turn?.notKept !== undefined) return failed(answerNotKept(turn.notKept, response, call?.dialect));
  if ('problem' in rendered || made === undefined) {
    return 'problem' in rendered ? rendered : { ...rendered, status: response.status };
  }
  const { text, lines } = resultOf(made, response, view);
  const body = response.body === '' ? Buffer.from(text) : rendered.body;
  return { status: made.status, headers: [...lines, ...rendered.headers], body };
}

function failed(made: Pick<OperationAnswer, 'status' | 'body' | 'callback'>): OutgoingResponse {
  const headers = made.callback === undefined ? [JSON_LINE] : SCRIPT_LINES;
  return { status: made.status, headers, body: Buffer.from(failureText(made)) };
}

/** Changes of a request: items of lists and members of objects one by one. */
export function changesIn(turn: StoreTurn): readonly StoreChange[] {
  const changes = turn.changes().flatMap(({ name, before, after }) => differences(name, before, after));
  return changes.slice(0, CHANGES_MAX);
}

function differences(name: string, before: unknown, after: unknown): StoreChange[] {
  if (Array.isArray(before) && Array.isArray(after)) return listDifferences(name, before, after);
  if (!isObject(before) || !isObject(after)) return [{ path: name, before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((member) => before[member] !== after[member])
    .map((member) => ({
      path: `${name}.${member}`,
      ...present('before', before[member]),
      ...present('after', after[member]),
    }));
}

function listDifferences(name: string, before: readonly unknown[], after: readonly unknown[]): StoreChange[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [old, next] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return Array.from({ length: Math.max(old.length, next.length) }, (_, index) => ({
    path: `${name}.${start + index}`,
    ...present('before', old[index]),
    ...present('after', next[index]),
  }));
}

function present(name: 'before' | 'after', value: unknown): Partial<StoreChange> {
  return value === undefined ? {} : { [name]: value };
}
