/** Commits as a store takes them, without the commands that decide them. */
import { GATEWAY_DEFAULTS, type GatewayRecord } from '../../src/model/gateway/settings.ts';
import type { Group } from '../../src/model/group.ts';
import type { Change } from '../../src/model/owner-state.ts';
import type { Rule } from '../../src/model/rule.ts';
import type { Commit, Store } from '../../src/store/store.ts';

export function group(version: number, more: Partial<Group> = {}): Group {
  return {
    id: `Group_${version}`,
    name: 'g',
    status: 'Inactive',
    isFavourite: true,
    creationDate: version,
    modificationDate: version,
    createdBy: 'ann',
    lastModifiedBy: 'bob',
    createdVersion: version,
    modifiedVersion: version,
    ...more,
  };
}

export function rule(version: number, more: Partial<Rule> = {}): Rule {
  return {
    id: `Cancel_${version}`,
    name: 'n\u0000\u{1f600}',
    description: '',
    ruleType: 'Cancel',
    status: 'Active',
    pairs: '[{"id":"a"}]',
    groupId: '',
    creationDate: version,
    modificationDate: version,
    createdBy: 'ann',
    lastModifiedBy: 'ann',
    createdVersion: version,
    modifiedVersion: version,
    ...more,
  };
}

export function gatewayOf(version: number, more: Partial<GatewayRecord> = {}): GatewayRecord {
  return {
    id: 'gateway:acme',
    settings: { ...GATEWAY_DEFAULTS, attach: [{ host: 'a.test', mockId: 'm' }] },
    creationDate: version,
    modificationDate: version,
    createdBy: 'ann',
    lastModifiedBy: 'ann',
    createdVersion: version,
    modifiedVersion: version,
    ...more,
  };
}

export function commit(expectedVersion: number, changes: Change[], more: Partial<Commit> = {}): Commit {
  const principal = { keyId: 'k', ownerId: 'acme', userId: 'ann', role: 'editor' } as const;
  return { principal, expectedVersion, date: expectedVersion + 1, command: 'test', changes, ...more };
}

/** One after the other. */
export async function write(store: Pick<Store, 'prepare' | 'commit'>, ...commits: Commit[]): Promise<void> {
  for (const each of commits) await store.commit(await store.prepare(each));
}
