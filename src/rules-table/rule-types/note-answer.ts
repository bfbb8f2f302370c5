/** Compares the answer before and after a rule, and records what changed. */
import { excerptOfBytes } from '../../base/excerpt.ts';
import { areEqualLines, type HeaderLines } from '../header-list.ts';
import type { Answer, Stage } from '../stage.ts';
import { noteLines } from './note-lines.ts';

export function isSameAnswer(before: Answer, after: Answer): boolean {
  return (
    before.status === after.status &&
    before.statusText === after.statusText &&
    areEqualLines(before.headers, after.headers) &&
    isSameBody(before.body, after.body)
  );
}

function isSameBody(before: Buffer | undefined, after: Buffer | undefined): boolean {
  return before === after || (before !== undefined && after !== undefined && before.equals(after));
}

/** Records the changes between two answers. */
export function noteAnswer({ changed }: Stage, before: Answer | undefined, after: Answer): void {
  const old: HeaderLines = before?.headers ?? [];
  if (before?.status !== after.status || before?.statusText !== after.statusText) {
    changed.push({ what: 'status', before: statusLine(before), after: statusLine(after) });
  }
  if (old !== after.headers)
    noteLines(
      changed,
      old,
      after.headers,
      [...old, ...after.headers].map(({ name }) => name),
    );
  if (!isSameBody(before?.body, after.body)) {
    changed.push({ what: 'body', before: bodyText(before), after: bodyText(after) });
  }
}

function statusLine(answer: Answer | undefined): string | null {
  if (answer?.status === undefined) return null;
  return answer.statusText === undefined ? `${answer.status}` : `${answer.status} ${answer.statusText}`;
}

function bodyText(answer: Answer | undefined): string | null {
  return answer?.body === undefined ? null : excerptOfBytes(answer.body);
}
