/** Shared by Request and Response rules whose body a program makes: its arguments, and why it had no effect. */
import { excerpt } from '../../base/excerpt.ts';
import { CODE_BODY_BYTES_MAX, CODE_CALLS_MAX } from '../../limits.ts';
import { take } from '../../languages/work-budget.ts';
import type { HeaderLines } from '../header-list.ts';
import type { Miss, UnreadReason } from '../outcome.ts';
import type { Stage } from '../stage.ts';

/** @returns Whether code may read this body, which is then text. */
export function isReadable(stage: Stage, body: Buffer | undefined, unread: UnreadReason | undefined): boolean {
  if (stage.codeState !== 'on' || unread !== undefined) return false;
  const bytes = body?.length ?? 0;
  return bytes <= CODE_BODY_BYTES_MAX && take(stage.budget, 1 + (bytes >> 2));
}

/**
 * @param type Its Content-Type, by which it is decoded; UTF-8 without one.
 * @returns The text of a body, without a byte order mark. Undefined when it has other bytes, which a text would lose.
 */
export function textOfBody(body: Buffer | undefined, type: string | undefined): string | undefined {
  if (body === undefined) return '';
  const [, quoted, plain] = /;\s*charset=(?:"([^"]*)"|([^;\s]*))/i.exec(type ?? '') ?? [];
  try {
    return new TextDecoder(quoted ?? plain ?? 'utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** Names in lower case; the values of a repeated header with a comma between them. */
export function headersOf(lines: HeaderLines): Record<string, string> {
  const values = new Map<string, string>();
  for (const { name, value } of lines) {
    const key = name.toLowerCase();
    const before = values.get(key);
    values.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(values);
}

/** Why code has not made another body. @param body What it was to read. */
export function codeMiss(
  stage: Stage,
  body: Buffer | undefined,
  unread: UnreadReason | undefined,
  type?: string,
): Miss {
  const { code, codeState } = stage;
  if (codeState === 'off') {
    return { reason: 'codeOff', expected: 'a server started with --rule-code', actual: 'a rule of type code' };
  }
  if (code?.failure !== undefined) {
    const { reason, message } = code.failure;
    return {
      reason,
      expected: reason === 'codeFailed' ? 'code that does not fail' : 'code that finishes in time',
      actual: message,
    };
  }
  if (code !== undefined)
    return { reason: 'noChange', expected: 'another body', actual: excerpt(code.body ?? 'undefined') };
  if (unread !== undefined) return { reason: unread, expected: READABLE };
  if (codeState === 'on' && textOfBody(body, type) === undefined) {
    return { reason: 'bodyEncoded', expected: 'a text in the charset of its Content-Type', actual: type ?? 'none' };
  }
  const bytes = body?.length ?? 0;
  if (bytes > CODE_BODY_BYTES_MAX) return { reason: 'bodyTooLarge', expected: READABLE, actual: `${bytes} bytes` };
  const expected = `at most ${CODE_CALLS_MAX} calls of code in one exchange`;
  if (codeState === 'exhausted') return { reason: 'codeTooLong', expected };
  return { reason: 'codeTooLong', expected: 'less work in one exchange' };
}

const READABLE = `a body of at most ${CODE_BODY_BYTES_MAX} bytes, plain or in gzip, deflate or br`;
