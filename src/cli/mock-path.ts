/** The value of `serve --mock`: a path, or an id for the mock and a path. */
import { InvalidArgumentError } from 'commander';
import type { MockPath } from '../app/config.ts';
import { CHOSEN_ID, CHOSEN_ID_FORM } from '../model/mocks/mock-id.ts';

/** What stands before a "=" is an id, unless it has a "/": `./a=b.yaml` is a path. */
export function mockPath(text: string): MockPath {
  const [, id, named] = /^([^/\\=]*)=(.*)$/s.exec(text) ?? [];
  const path = named ?? text;
  if (path.trim() === '') throw new InvalidArgumentError('Expected a file or folder, or ID=PATH.');
  if (id === undefined) return { path };
  if (!CHOSEN_ID.test(id)) throw new InvalidArgumentError(`Expected before the "=" ${CHOSEN_ID_FORM}.`);
  return { path, id };
}
