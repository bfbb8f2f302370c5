/** No change of a member goes unnoticed: what is imported is another, or the report is. And none makes the reader throw. */
import { expect, test } from 'vitest';
import { CASES_STEP } from '../support/effort.ts';
import { changesOf, tryImport } from '../support/imports.ts';
import { OPENAPI_DOCUMENTS } from './whole/openapi.ts';
import { RECORDINGS } from './whole/recordings.ts';
import { STUBS } from './whole/stubs.ts';

test.each([...STUBS, ...RECORDINGS, ...OPENAPI_DOCUMENTS])(
  'no member of $format that is deleted, renamed or of another type goes unnoticed',
  ({ source, isExempt, changesMin }) => {
    const before = JSON.stringify(tryImport(source));
    const unnoticed: string[] = [];
    let noticed = 0;
    for (const { change, pointer, source: changed } of changesOf(source, CASES_STEP)) {
      const isSame = JSON.stringify(tryImport(changed)) === before;
      if (isExempt(change, pointer)) continue;
      if (isSame) unnoticed.push(`${change} ${pointer}`);
      else noticed++;
    }
    expect(unnoticed).toEqual([]);
    expect(noticed).toBeGreaterThan(changesMin / CASES_STEP ** 2);
  },
);
