/** A mock's versions: saved, discarded, listed, read and restored; mocks.md, "Endpoints". */
import { isRefusal } from '../../errors.ts';
import { saveMock } from '../../model/mocks/decide-mock.ts';
import { discardStaged, restoreVersion } from '../../model/mocks/decide-staged.ts';
import { mockSchema, versionSchema, type Mock } from '../../model/mocks/mock.ts';
import { readMock, readVersion } from '../../model/mocks/query-mock.ts';
import { Type } from '../../model/schema-type.ts';
import type { Call } from '../call.ts';
import type { Endpoint } from '../endpoint.ts';
import type { MockEndpoints } from './mock-endpoints.ts';

export function mockVersionsApi(endpoints: MockEndpoints): Endpoint[] {
  const { owners, shapes, asRecord, asEdited, inputOf, act, define, ofData } = endpoints;
  const { copy } = shapes;
  const record = ofData(mockSchema);

  return [
    define(
      'POST',
      '/:id/save',
      {
        operationId: 'saveMock',
        summary: 'The working copy becomes the next version, and is served',
        answer: record,
        headers: ['If-Match'],
      },
      (call) => act(call, saveMock, inputOf(call), asRecord, { publishes: true }),
    ),
    define(
      'POST',
      '/:id/discard',
      {
        operationId: 'discardStaged',
        summary: 'The working copy becomes the saved version again',
        answer: record,
        headers: ['If-Match'],
      },
      (call) => act(call, discardStaged, inputOf(call), asEdited),
    ),
    define(
      'GET',
      '/:id/versions',
      {
        operationId: 'listVersions',
        summary: 'List saved versions, newest first',
        answer: Type.Object({ data: Type.Array(versionSchema) }),
      },
      (call) =>
        owners.query(readMock, inputOf(call), call.caller, (mock) =>
          isRefusal(mock)
            ? call.refuse(mock)
            : call.succeed(`"data":${JSON.stringify(mock.versions.toReversed().map(representVersion))}`),
        ),
    ),
    define(
      'GET',
      '/:id/versions/:n',
      {
        operationId: 'readVersion',
        summary: 'Read a saved version',
        answer: ofData(Type.Object({ ...versionSchema.properties, ...copy.properties })),
        refusals: ['versionNotFound'],
      },
      (call) =>
        owners.query(readVersion, { ...inputOf(call), number: versionNumber(call) }, call.caller, (outcome) => {
          if (isRefusal(outcome)) return call.refuse(outcome);
          const { version, routes } = outcome;
          const whole = {
            ...representVersion(version),
            settings: version.settings,
            routes: routes.map((each) => each.route),
          };
          // A version never changes.
          return call.succeed(`"data":${JSON.stringify(whole)}`, `\r\netag: "v${version.number}"`);
        }),
    ),
    define(
      'POST',
      '/:id/versions/:n/restore',
      {
        operationId: 'restoreVersion',
        summary: 'Stage a saved version',
        answer: record,
        headers: ['If-Match'],
        refusals: ['versionNotFound'],
      },
      (call) => act(call, restoreVersion, { ...inputOf(call), number: versionNumber(call) }, asEdited),
    ),
  ];
}

function representVersion({ number, savedAt, savedBy, revisions }: Mock['versions'][number]) {
  return { version: number, savedAt, savedBy, routeCount: revisions.length };
}

/** 0, which no version has, for what is no number. */
function versionNumber({ params }: Call): number {
  const [, text = ''] = params;
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
