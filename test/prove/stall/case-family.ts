/** A family of cases. Each digit of a case is a choice, so a search can change one of what it found. */
import type { MockDefinition } from '../../../src/model/mocks/definition/definition.ts';
import type { MockRequest } from '../../../src/serving/matching/request/mock-request.ts';

export interface StallCase {
  readonly words: string;
  readonly definition: MockDefinition;
  readonly request: MockRequest;
  /** Whether reading its request takes a tenth of its work at most, and its first response answers. */
  readonly isSmall: boolean;
  /** Whether it is answered in several turns: what is measured is the first one. */
  readonly isStream?: true;
}

export interface CaseFamily {
  /** How many choices each digit has. A search takes those of the first one in turn, and all others by chance. */
  readonly radixes: readonly number[];
  /** What a search tries first. */
  readonly first: readonly (readonly number[])[];
  /** So many of the first are tried however little time there is. */
  readonly sureCount: number;
  readonly caseOf: (digits: readonly number[]) => StallCase;
  readonly kindOf: (digits: readonly number[]) => string;
}

/** Each digit, and its choices. */
export type Choices = Readonly<Record<string, readonly unknown[]>>;

export type Chosen<All extends Choices> = { readonly [Name in keyof All]: All[Name][number] };

export function radixesOf(choices: Choices): readonly number[] {
  return Object.values(choices).map(({ length }) => length);
}

export function chosenOf<All extends Choices>(choices: All, digits: readonly number[]): Chosen<All> {
  const entries = Object.entries(choices).map(([name, values], place) => [name, values[digits[place] as number]]);
  return Object.fromEntries(entries) as Chosen<All>;
}
