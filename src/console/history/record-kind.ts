/** What a record of the history is, by the form of its id, and its address. */
import { hrefOf } from '../state/place.ts';

export type Kind = 'mock' | 'rule' | 'group';

export function kindOf(id: string): Kind {
  if (id.startsWith('Group_')) return 'group';
  return /^[A-Z]\w*_/.test(id) ? 'rule' : 'mock';
}

export function hrefOfRecord(id: string): string {
  const kind = kindOf(id);
  if (kind === 'group') return hrefOf(['rules'], { group: id });
  return hrefOf([kind === 'rule' ? 'rules' : 'mocks', id]);
}
