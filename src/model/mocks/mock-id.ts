/** Ids of mocks, which are labels of host names: drawn, or chosen by a client or as the name of a file. */
import { randomId } from '../../base/random-id.ts';

const DRAWN_CHARS = 15;
const CHARS_MAX = 21;
/** The API has paths of its own at `/v1/mocks/import` and `/v1/mocks/counts`. */
export const CHOSEN_ID = /^(?!(?:import|counts)$)[a-z][a-z0-9]{0,20}$/;
export const CHOSEN_ID_FORM = 'a letter a-z, then at most 20 of a-z and 0-9; not import or counts';

export function newMockId(): string {
  return `m${randomId(DRAWN_CHARS)}`;
}

/** Derives an id from a name by dropping other characters; undefined when nothing usable is left. */
export function mockIdOf(name: string): string | undefined {
  const left = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/^\d+/, '')
    .slice(0, CHARS_MAX);
  return CHOSEN_ID.test(left) ? left : undefined;
}
