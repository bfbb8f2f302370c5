/** The owner's mocks by name. */
import type { MockRecord } from '../../client/shapes.ts';
import { PAGE_ROWS } from '../state/paged-list.ts';
import { useResource } from '../state/resource.ts';
import { api } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';

/** A longer list is too long to search by eye: the user types an id. */
const PAGES_MAX = 4;

export interface MockNames {
  /** undefined: not loaded, or too many. */
  readonly choices: readonly (readonly [id: string, label: string])[] | undefined;
  readonly nameOf: (id: string) => string;
}

export function useMockNames(): MockNames {
  const mocks = useResource(loadMocks, [], {
    whenChanged: ({ command }) => (/^mock\.(create|import|update|delete)$/.test(command) ? 'reload' : undefined),
  });
  const { records = [], isWhole = false } = mocks.state.value.value ?? {};
  const names = new Map(records.map(({ id, name }) => [id, visibleLine(name === '' ? id : name, 60)]));
  return { choices: isWhole ? [...names] : undefined, nameOf: (id) => names.get(id) ?? id };
}

async function loadMocks(): Promise<{ readonly records: readonly MockRecord[]; readonly isWhole: boolean }> {
  const records: MockRecord[] = [];
  for (let page = 0; page < PAGES_MAX; page++) {
    const found = await api().mocks.list({ sort: 'name', offset: page * PAGE_ROWS, pageSize: PAGE_ROWS });
    records.push(...found.records);
    if (records.length >= found.total) return { records, isWhole: true };
  }
  return { records, isWhole: false };
}
