/** All groups of the owner: usually few, and needed whole. */
import type { GroupRecord } from '../../../client/shapes.ts';
import { PAGE_ROWS } from '../../state/paged-list.ts';
import { useResource, type Resource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';

export type Groups = readonly GroupRecord[];

export const useGroups = (): Resource<Groups> =>
  useResource(loadGroups, [], {
    // Rules change the counts.
    whenChanged: ({ command }) => (/^(group|rule)\./.test(command) ? 'reload' : undefined),
  });

/** Pinned groups first, each set in order of creation. */
async function loadGroups(): Promise<Groups> {
  const first = await api().groups.list({ pageSize: PAGE_ROWS });
  const offsets: number[] = [];
  for (let offset = first.nextOffset ?? first.total; offset < first.total; offset += PAGE_ROWS) offsets.push(offset);
  const others = await Promise.all(offsets.map((offset) => api().groups.list({ offset, pageSize: PAGE_ROWS })));
  const all = [first, ...others].flatMap(({ records }) => records);
  return [...all.filter(({ isFavourite }) => isFavourite), ...all.filter(({ isFavourite }) => !isFavourite)];
}

export const groupOptions = (
  groups: Groups,
  chosen: string,
  none: string,
): readonly (readonly [id: string, label: string])[] => [
  ['', none],
  ...groups.map(({ id, name }) => [id, visibleLine(name, 100)] as const),
  // Not loaded yet, or deleted.
  ...(chosen === '' || groups.some(({ id }) => id === chosen) ? [] : [[chosen, chosen] as const]),
];
