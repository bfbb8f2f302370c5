/** A mock's versions: saved, discarded, listed, read and restored; docs/mocks-fields.md. */
import { isRefusal } from '../../../errors.ts';
import { saveMock } from '../../../model/mocks/decide/decide-mock.ts';
import { discardStaged, restoreVersion } from '../../../model/mocks/decide/decide-staged.ts';
import { mockSchema, versionSchema, type Mock } from '../../../model/mocks/mock.ts';
import { readVersion } from '../../../model/mocks/show/query-mock.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Call } from '../../call.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operations, operationsOf } from '../operation.ts';
import { ofMock } from './traffic/traffic-scope.ts';
import { versionBytes, versionNumber, versionTag } from './addressed-version.ts';
import { answerOfMock, asEdited, asSaved, changesOf, mockInput, type MocksContext } from './replies.ts';

const operation = operations('Mocks');

export function mockVersionsApi(context: MocksContext): Endpoint[] {
  const { owners, bodies } = context;
  const change = changesOf(context);
  const wholeVersion = Type.Object({ ...versionSchema.properties, ...bodies.definition.schema.properties });

  return [
    operation('saveMock', 'POST /v1/mocks/:id/save', {
      summary: 'Save the working copy as the next version, and serve it',
      warned: mockSchema,
      conditional: true,
      repeatable: true,
      handle: change(saveMock, asSaved, mockInput, { publishes: true }),
    }),
    operation('discardStaged', 'POST /v1/mocks/:id/discard', {
      summary: 'Discard staged edits: reset the working copy to the saved version',
      warned: mockSchema,
      conditional: true,
      repeatable: true,
      handle: change(discardStaged, asEdited, mockInput),
    }),
    operationsOf('Mocks', ofMock(owners))('listVersions', 'GET /versions', {
      summary: 'List saved versions, newest first',
      list: versionSchema,
      run: (_call, { found }) => found.versions.toReversed().map(representVersion),
    }),
    operation('readVersion', 'GET /v1/mocks/:id/versions/:n', {
      summary: 'Read a saved version',
      record: wholeVersion,
      handle(call) {
        const input = versionInput(call);
        const make = (): void =>
          owners.query(readVersion, input, call.caller, (outcome) => {
            if (isRefusal(outcome)) return call.refuse(outcome);
            const { version, routes } = outcome;
            const whole = {
              ...representVersion(version),
              settings: version.settings,
              routes: routes.map((each) => each.route),
            };
            return call.succeed(`"data":${JSON.stringify(whole)}`, versionTag(version.number));
          });
        // Before the store reads it.
        answerOfMock(context, call, (mock) => versionBytes(mock, input.number), make);
      },
    }),
    operation('restoreVersion', 'POST /v1/mocks/:id/versions/:n/restore', {
      summary: 'Restore a saved version into the working copy',
      warned: mockSchema,
      conditional: true,
      repeatable: true,
      handle: change(restoreVersion, asEdited, versionInput),
    }),
  ];
}

function versionInput(call: Call) {
  return { ...mockInput(call), number: versionNumber(call) };
}

function representVersion({ number, savedAt, savedBy, revisions }: Mock['versions'][number]) {
  return { version: number, savedAt, savedBy, routeCount: revisions.length };
}
