/** What differs between two copies of a mock: what a save would change, or any two versions; docs/mocks.md. */
import { isRefusal, refuse, type Detail, type Refusal } from '../../../errors.ts';
import { copyDiffSchema, diffCopies, diffSchema, diffStaged } from '../../../model/mocks/diff.ts';
import type { CopyName } from '../../../model/mocks/find-mock.ts';
import { copyBytes, savedVersionOf, type Mock } from '../../../model/mocks/mock.ts';
import { readCopies, readMock } from '../../../model/mocks/query-mock.ts';
import { etagOf } from '../../../model/precondition.ts';
import { Type } from '../../../model/schema-type.ts';
import { shown } from '../../../model/validate.ts';
import { endpoint, type Endpoint } from '../../endpoint.ts';
import { readDeclaredQuery } from '../declared-query.ts';
import { numberOf, versionBytes } from './addressed-version.ts';
import { asStaged, mockInput, ofData, replyFound, type MocksContext } from './replies.ts';

const COPY = 'The number of a saved version, `saved` for the last, or `staged` for the working copy.';

const copiesQuery = Type.Object({
  from: Type.Optional(Type.String({ default: 'saved', description: COPY })),
  to: Type.Optional(Type.String({ default: 'staged', description: 'As `from`.' })),
});

interface Named {
  readonly from: CopyName;
  readonly to: CopyName;
}

export function mockDiffApi(context: MocksContext): Endpoint[] {
  const { owners } = context;
  return [
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/staged/diff',
      access: 'read',
      doc: {
        operationId: 'diffStaged',
        tag: 'Mocks',
        summary: 'What a save would change',
        answer: ofData(diffSchema),
        refusals: ['mockNotFound'],
      },
      handle(call) {
        owners.query(readMock, mockInput(call), call.caller, (mock) =>
          replyFound(context, call, mock, (found) => asStaged(found, diffStaged(found)), stagedBytesMax),
        );
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/diff',
      access: 'read',
      doc: {
        operationId: 'diffVersions',
        tag: 'Mocks',
        summary: 'What differs between two versions, or a version and the working copy',
        query: copiesQuery,
        answer: ofData(copyDiffSchema),
        refusals: ['mockNotFound', 'versionNotFound', 'badRequest'],
      },
      handle(call) {
        owners.query(readMock, mockInput(call), call.caller, (mock) => {
          if (isRefusal(mock)) return call.refuse(mock);
          const named = readNames(call.head.query);
          if (isRefusal(named)) return call.refuse(named);
          // Before the store reads them.
          const bytesMax = bytesMaxOf(mock, named);
          if (isRefusal(bytesMax)) return call.refuse(bytesMax);
          return call.answer(bytesMax, () =>
            owners.query(readCopies, { ...mockInput(call), ...named }, call.caller, (copies) => {
              if (isRefusal(copies)) return call.refuse(copies);
              const diff =
                named.to === 'staged'
                  ? diffStaged({ saved: copies.from, staged: copies.to })
                  : diffCopies(copies.from, copies.to);
              return call.succeed(`"data":${JSON.stringify(diff)}`, `\r\netag: ${tagOf(copies.mock, named)}`);
            }),
          );
        });
      },
    }),
  ];
}

function readNames(query: string): Named | Refusal {
  const given = readDeclaredQuery(query, copiesQuery);
  if (isRefusal(given)) return given;
  const details: Detail[] = [];
  const nameOf = (path: 'from' | 'to', absent: CopyName): CopyName => {
    const text = given[path];
    if (text === undefined) return absent;
    if (text === 'saved' || text === 'staged') return text;
    const number = numberOf(text);
    if (number === undefined)
      details.push({ path, message: `expected a version's number, saved or staged; got ${shown(text)}` });
    return number ?? absent;
  };
  const named = { from: nameOf('from', 'saved'), to: nameOf('to', 'staged') };
  return details.length > 0 ? refuse('badRequest', details) : named;
}

/** The working copy's while it is compared, which guards the next edit or save; versions never change. */
function tagOf(mock: Mock, { from, to }: Named): string {
  if (from === 'staged' || to === 'staged') return etagOf(mock.stagedVersion);
  const numberOfCopy = (name: 'saved' | number): number => (name === 'saved' ? savedVersionOf(mock).number : name);
  return `"v${numberOfCopy(from)}-v${numberOfCopy(to)}"`;
}

/** Changed routes before and after, with their paths once more; of the others method and path at most. */
function stagedBytesMax({ saved, staged }: Mock): number {
  const pathBytes = staged.routes.reduce((sum, { route }) => sum + Buffer.byteLength(JSON.stringify(route.path)), 0);
  return copyBytes(saved) + copyBytes(staged) + pathBytes;
}

function bytesMaxOf(mock: Mock, { from, to }: Named): number | Refusal {
  const bytesOf = (name: CopyName): number | Refusal =>
    typeof name === 'number' ? versionBytes(mock, name) : copyBytes(mock[name]);
  const [first, second] = [bytesOf(from), bytesOf(to)];
  if (isRefusal(first)) return first;
  // The paths of unread routes are not known apart.
  return isRefusal(second) ? second : first + 2 * second;
}
