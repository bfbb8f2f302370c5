/** Compares two copies of a mock: the working copy with the saved version, or any two versions. */
import { inSlices } from '../../../base/slices.ts';
import { isRefusal, refuse, type Detail, type Refusal } from '../../../errors.ts';
import {
  compareCopies,
  comparedBytes,
  readCopies,
  type ComparedCopies,
  type CopyName,
  type CopyNames,
} from '../../../model/mocks/show/compare-copies.ts';
import { copyDiffSchema, diffCopies, diffSchema, diffText } from '../../../model/mocks/show/diff.ts';
import { copyBytes, definitionOf, savedVersionOf, type Mock, type MockCopy } from '../../../model/mocks/mock.ts';
import { warningsOf } from '../../../model/mocks/show/warnings.ts';
import { etagOf } from '../../../model/precondition.ts';
import { Type } from '../../../model/schema-type.ts';
import { quoteValue } from '../../../model/validate.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { Call } from '../../call.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operationsOf } from '../operation.ts';
import { readDeclaredQuery } from '../declared-query.ts';
import { numberOf } from './addressed-version.ts';
import { ofMock } from './traffic/traffic-scope.ts';

const COPY = 'A version number, `saved` for the last saved version, or `staged` for the working copy.';

const copiesQuery = Type.Object({
  from: Type.Optional(Type.String({ default: 'saved', description: COPY })),
  to: Type.Optional(Type.String({ default: 'staged', description: 'Like `from`.' })),
});

export function mockDiffApi(owners: OwnerDirectory): Endpoint[] {
  const operation = operationsOf('Mocks', ofMock(owners));
  return [
    operation('diffStaged', 'GET /staged/diff', {
      summary: 'Show what a save would change',
      record: diffSchema,
      run(call, { found: mock }) {
        const { saved, staged, stagedVersion } = mock;
        return call.answer(stagedBytesMax(mock), () =>
          replyDiff(call, compareCopies(saved, staged), staged, etagOf(stagedVersion)),
        );
      },
    }),
    operation('diffVersions', 'GET /diff', {
      summary: 'Compare two versions, or a version and the working copy',
      query: copiesQuery,
      record: copyDiffSchema,
      refuses: ['versionNotFound'],
      readQuery: readNames,
      run(call, { found: mock, query: named }) {
        // Before the store reads them.
        const bytes = comparedBytes(mock, named);
        if (isRefusal(bytes)) return bytes;
        // The paths of changed routes are there once more.
        return call.answer(bytes.from + 2 * bytes.to, () =>
          owners.query(readCopies, { mockId: mock.id, ...named }, call.caller, (copies) => {
            if (isRefusal(copies)) return call.refuse(copies);
            const { staged } = copies.mock;
            return replyDiff(call, copies, named.to === 'staged' ? staged : undefined, tagOf(copies.mock, named));
          }),
        );
      },
    }),
  ];
}

/** In slices, so that others are answered in between. @param warned The copy whose likely mistakes are reported, if any. */
function replyDiff(call: Call, copies: ComparedCopies, warned: MockCopy | undefined, tag: string): void {
  const make = async (): Promise<string> => {
    const diff = await inSlices(diffCopies(copies));
    const warnings = warned === undefined ? {} : { warnings: warningsOf(definitionOf(warned)) };
    return inSlices(diffText({ ...diff, ...warnings }));
  };
  void call.later(make(), (json) => call.succeed(`"data":${json}`, `\r\netag: ${tag}`));
}

function readNames(query: string): CopyNames | Refusal {
  const given = readDeclaredQuery(query, copiesQuery);
  if (isRefusal(given)) return given;
  const details: Detail[] = [];
  const nameOf = (path: 'from' | 'to', absent: CopyName): CopyName => {
    const text = given[path];
    if (text === undefined) return absent;
    if (text === 'saved' || text === 'staged') return text;
    const number = numberOf(text);
    if (number === undefined)
      details.push({ path, message: `expected a version number, saved or staged; got ${quoteValue(text)}` });
    return number ?? absent;
  };
  const named = { from: nameOf('from', 'saved'), to: nameOf('to', 'staged') };
  return details.length > 0 ? refuse('badRequest', details) : named;
}

/** The working copy's while it is compared, which guards the next edit or save; versions never change. */
function tagOf(mock: Mock, { from, to }: CopyNames): string {
  if (from === 'staged' || to === 'staged') return etagOf(mock.stagedVersion);
  const numberOfCopy = (name: 'saved' | number): number => (name === 'saved' ? savedVersionOf(mock).number : name);
  return `"v${numberOfCopy(from)}-v${numberOfCopy(to)}"`;
}

/** Changed routes before and after, with their paths once more; of the others method and path at most. */
function stagedBytesMax({ saved, staged }: Mock): number {
  const pathBytes = staged.routes.reduce((sum, { route }) => sum + Buffer.byteLength(JSON.stringify(route.path)), 0);
  return copyBytes(saved) + copyBytes(staged) + pathBytes;
}
