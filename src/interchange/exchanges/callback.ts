/** Callbacks that a file says, each held against the model: one that a mock cannot send is left out, and its response stays. */
import { CALLBACKS_MAX } from '../../limits.ts';
import type { Callback } from '../../model/mocks/definition/definition.ts';
import { checkCallbacks } from '../../model/mocks/upstream/callback-checks.ts';
import { literalOrigin } from '../../model/mocks/upstream/callbacks.ts';
import type { Code } from '../report/codes.ts';
import type { Item, ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';

/** A callback with its place in the file. */
export interface ReadCallback {
  readonly callback: Callback;
  readonly source: Member;
}

interface CallbackCodes {
  readonly refused: Code;
  /** A header that is left out. */
  readonly header: Code;
}

/** Other tools do not try again. */
export const SENT_ONCE = { retry: { max: 0 } } as const;

/** @param item The response that they follow. @returns A member of the response; nothing without any. */
export function callbacksOf(
  read: readonly ReadCallback[],
  codes: CallbackCodes,
  item: Item,
  report: ReportWriter,
): { readonly callbacks?: readonly Callback[] } {
  const callbacks = read.flatMap((each) => checked(each, codes, item) ?? []);
  for (const { source } of read.slice(CALLBACKS_MAX))
    item.note('import.limit', source, `${CALLBACKS_MAX} callbacks per response`);
  report.count('import.callback', Math.min(callbacks.length, CALLBACKS_MAX));
  return callbacks.length === 0 ? {} : { callbacks: callbacks.slice(0, CALLBACKS_MAX) };
}

const METHOD = /^[A-Z][A-Z-]{0,31}$/;
const URL_CHARS_MAX = 2_000;

function checked(
  { callback, source }: ReadCallback,
  { refused, header }: CallbackCodes,
  item: Item,
): Callback | undefined {
  const { url, method = 'POST', headers = [] } = callback;
  const problems: string[] = [];
  const left = new Set<number>();
  checkCallbacks({ callbacks: [callback] }, [], (path, problem) => {
    const [, index] = /^\/callbacks\/0\/headers\/(\d+)/.exec(path) ?? [];
    if (index === undefined) problems.push(problem);
    else if (!left.has(Number(index))) {
      left.add(Number(index));
      item.note(header, source, `${headers[Number(index)]?.name}: ${problem}`);
    }
  });
  if (!METHOD.test(method)) problems.push('its method is not supported');
  if (url.length > URL_CHARS_MAX) problems.push(`its URL has more than ${URL_CHARS_MAX} characters`);
  const [problem] = problems;
  if (problem !== undefined) {
    item.note(refused, source, `${url}: ${problem}`);
    return undefined;
  }
  if (literalOrigin(callback) === undefined) item.note('import.callback-target', source, url);
  return left.size === 0 ? callback : { ...callback, headers: headers.filter((_, index) => !left.has(index)) };
}
