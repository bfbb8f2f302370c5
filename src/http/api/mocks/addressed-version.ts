/** Which definition of a mock is meant: the saved version that a path names, or the copy or version that a body does. */
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import type { MockDefinition } from '../../../model/mocks/definition/definition.ts';
import { definitionOf, type Mock } from '../../../model/mocks/mock.ts';
import { readVersion } from '../../../model/mocks/show/query-mock.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { Call } from '../../call.ts';

export async function definitionAgainst(
  owners: OwnerDirectory,
  call: Call,
  mock: Mock,
  against: 'staged' | 'saved' | number,
): Promise<MockDefinition | Refusal> {
  if (typeof against === 'string') return definitionOf(mock[against]);
  const found = await owners.ask(readVersion, { mockId: mock.id, number: against }, call.caller);
  if (isRefusal(found)) return found;
  return { settings: found.version.settings, routes: found.routes.map(({ route }) => route) };
}

/** The second parameter of the path; 0, which no version has, for a text that is not a number. */
export function versionNumber({ params }: Call): number {
  return numberOf(params[1] ?? '') ?? 0;
}

/** @returns undefined for a text that is not a number. */
export function numberOf(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Upper bound of a version's bytes as JSON, or that there is none. Reads nothing of the store. */
export function versionBytes({ versions, kept }: Mock, number: number): number | Refusal {
  const version = versions.find((each) => each.number === number);
  if (version === undefined) return refuse('versionNotFound');
  return version.revisions.reduce((sum, revision) => sum + (kept.get(revision) ?? 0) + 1, 1_000);
}

/** A version never changes. */
export function versionTag(number: number): string {
  return `\r\netag: "v${number}"`;
}
