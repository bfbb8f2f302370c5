/** History entries: commands in words, their records, and the filters of the screen. Pure. */
import type { ChangeRecord, HistoryQuery } from '../../client/shapes.ts';
import { dropEmpty, filtersBy } from '../state/filters.ts';
import { hrefOf } from '../state/place.ts';

/** In the order of the filter. */
export const COMMAND_WORDS: ReadonlyMap<string, string> = new Map([
  ['mock.create', 'Created a mock'],
  ['mock.import', 'Imported a mock'],
  ['mock.update', 'Renamed or described a mock'],
  ['mock.start', 'Started a mock'],
  ['mock.stop', 'Stopped a mock'],
  ['mock.save', 'Saved a version'],
  ['mock.discard', 'Discarded unsaved changes'],
  ['mock.restore', 'Restored a version'],
  ['mock.delete', 'Deleted a mock'],
  ['mock.stage', 'Replaced the working copy'],
  ['mock.stage.import', 'Replaced the working copy with a file'],
  ['mock.stage.recording', 'Staged a recording'],
  ['mock.route.create', 'Added a route'],
  ['mock.route.update', 'Changed a route'],
  ['mock.route.delete', 'Removed a route'],
  ['mock.route.order', 'Moved routes'],
  ['mock.response.create', 'Added a response'],
  ['mock.response.update', 'Changed a response'],
  ['mock.response.delete', 'Removed a response'],
  ['mock.file', 'Updated from its file'],
  ['mock.file.remove', 'Removed with its file'],
  ['rule.create', 'Created a rule'],
  ['rule.update', 'Changed rules'],
  ['rule.delete', 'Deleted rules'],
  ['rule.import', 'Imported rules'],
  ['group.create', 'Created a group'],
  ['group.update', 'Changed a group'],
  ['group.delete', 'Deleted a group'],
  ['gateway.update', 'Changed gateway settings'],
  ['key.create', 'Created a key'],
  ['key.revoke', 'Revoked a key'],
]);

/** A command of a newer server keeps its own name. */
export const commandText = (command: string): string => COMMAND_WORDS.get(command) ?? command;

type Kind = 'mock' | 'rule' | 'group' | 'gateway';

/** The kind of a record by the form of its id, and its address. */
export function kindOf(id: string): Kind {
  if (id.startsWith('Group_')) return 'group';
  if (id.startsWith('gateway:')) return 'gateway';
  return /^[A-Z]\w*_/.test(id) ? 'rule' : 'mock';
}

export function hrefOfRecord(id: string): string {
  const kind = kindOf(id);
  if (kind === 'group') return hrefOf(['rules'], { group: id });
  if (kind === 'gateway') return hrefOf(['gateway', 'settings']);
  return hrefOf([kind === 'rule' ? 'rules' : 'mocks', id]);
}

export const FILTERS = filtersBy('record', 'user', 'command');

export type HistoryFilters = ReturnType<typeof FILTERS.of>;

export const queryOf = ({ record, user, command }: HistoryFilters): HistoryQuery =>
  dropEmpty({ recordId: record, user, command });

/** The same filter as the server's. */
export const fits = (
  { recordIds, user, command }: Pick<ChangeRecord, 'recordIds' | 'user' | 'command'>,
  filters: HistoryFilters,
): boolean =>
  (filters.record === '' || recordIds.includes(filters.record)) &&
  (filters.user === '' || user === filters.user) &&
  (filters.command === '' || command === filters.command);
