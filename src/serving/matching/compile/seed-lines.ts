/** The setting `debugHeaders`: headers that expose what decided an answer's draws. */
import type { HeaderLine, MockSettings } from '../../../model/mocks/definition/definition.ts';
import type { RequestView } from '../request/request-view.ts';

const SEED = 'x-mock-seed';
const NUMBER = 'x-mock-request-number';

/** @param headers Of the response: one that has such a header itself is left alone. */
export function exposesSeed({ debugHeaders }: MockSettings, headers: readonly HeaderLine[]): boolean {
  return debugHeaders === true && !headers.some(({ name }) => [SEED, NUMBER].includes(name.toLowerCase()));
}

/** @returns None without a seed. Both together are what `try` needs to give the answer again. */
export function seedLines({ seed, requestNumber }: RequestView): readonly HeaderLine[] {
  if (seed === null) return [];
  return [
    { name: SEED, value: String(seed) },
    { name: NUMBER, value: String(requestNumber) },
  ];
}
