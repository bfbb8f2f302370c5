/** Decodes bytes that a client sent, within the budget of its request. */
import { isAscii } from 'node:buffer';
import { take, type WorkBudget } from './work-budget.ts';

/** Decoding shorter texts takes less than checking whether they are ASCII. */
const SHORT_BYTES_MAX = 1_024;

/** Bytes that are not UTF-8 become U+FFFD. @returns "" when the budget does not suffice. */
export function decodeUtf8(bytes: Buffer, budget: WorkBudget): string {
  const { length } = bytes;
  if (length > SHORT_BYTES_MAX && !take(budget, isAscii(bytes) ? length >> 3 : length)) return '';
  return bytes.toString('utf8');
}
