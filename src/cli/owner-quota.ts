/** `switchyard owners quota`: what an owner may have in place of the limits of the server. */
import type { OwnerQuota } from '../model/owner-quota.ts';
import { requirePlace } from './require-store.ts';
import { withStore } from './with-store.ts';

/** The members of a quota, by the option that sets each. */
const QUOTA_OPTIONS = {
  rulesMax: 'rulesPerOwnerMax',
  groupsMax: 'groupsPerOwnerMax',
  mocksMax: 'mocksPerOwnerMax',
  mockBytesMax: 'ownerMockBytesMax',
  rateLimit: 'requestsPerSecond',
} as const satisfies Readonly<Record<string, keyof OwnerQuota>>;

export type QuotaOptions = { readonly [Name in keyof typeof QUOTA_OPTIONS]?: number } & { readonly reset?: true };

/**
 * Sets what is given, and keeps the rest.
 *
 * @returns A line for each limit that is the owner's own.
 */
export async function changeQuota(place: string, ownerId: string, given: QuotaOptions): Promise<string[]> {
  requirePlace(place);
  const quota = await withStore(place, async ({ keys }) => {
    const known = given.reset === true ? {} : (keys.quotas().get(ownerId) ?? {});
    const set = Object.entries(QUOTA_OPTIONS).filter(([name]) => given[name as 'rulesMax'] !== undefined);
    const next: OwnerQuota = {
      ...known,
      ...Object.fromEntries(set.map(([name, member]) => [member, given[name as 'rulesMax']])),
    };
    const isEmpty = Object.keys(next).length === 0;
    if (set.length > 0 || given.reset === true) await keys.setQuota(ownerId, isEmpty ? undefined : next);
    return next;
  });
  const lines = Object.entries(QUOTA_OPTIONS).flatMap(([name, member]) =>
    quota[member] === undefined ? [] : [`${flagOf(name)}\t${quota[member]}`],
  );
  return lines.length === 0 ? [`${ownerId} has the limits of the server`] : lines;
}

function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
