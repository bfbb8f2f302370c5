/** The saved version that a path names, for the endpoints that read one. */
import { refuse, type Refusal } from '../../../errors.ts';
import type { Mock } from '../../../model/mocks/mock.ts';
import type { Call } from '../../call.ts';

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
