/** A mock's versions: saved, discarded, listed, read and restored; docs/mocks-fields.md. */
import { isRefusal } from '../../../errors.ts';
import { saveMock } from '../../../model/mocks/decide/decide-mock.ts';
import { discardStaged, restoreVersion } from '../../../model/mocks/decide/decide-staged.ts';
import { mockSchema, versionSchema, type Mock } from '../../../model/mocks/mock.ts';
import { readMock, readVersion } from '../../../model/mocks/show/query-mock.ts';
import { Type } from '../../../model/schema-type.ts';
import { endpoint, type Endpoint } from '../../endpoint.ts';
import { versionBytes, versionNumber, versionTag } from './addressed-version.ts';
import {
  answerOfMock,
  asEdited,
  asSaved,
  changeMock,
  mockInput,
  ofData,
  ofWarned,
  type MocksContext,
} from './replies.ts';

export function mockVersionsApi(context: MocksContext): Endpoint[] {
  const { owners, bodies } = context;
  const record = ofWarned(mockSchema);
  const wholeVersion = Type.Object({ ...versionSchema.properties, ...bodies.definition.schema.properties });

  return [
    endpoint({
      method: 'POST',
      path: '/v1/mocks/:id/save',
      access: 'write',
      doc: {
        operationId: 'saveMock',
        tag: 'Mocks',
        summary: 'Save the working copy as the next version, and serve it',
        answer: record,
        headers: ['If-Match', 'Idempotency-Key'],
        refusals: ['mockNotFound', 'mockOfFile', 'idempotencyKeyReused', 'limitReached', 'preconditionFailed'],
      },
      handle(call) {
        changeMock(context, call, saveMock, mockInput(call), asSaved, { publishes: true });
      },
    }),
    endpoint({
      method: 'POST',
      path: '/v1/mocks/:id/discard',
      access: 'write',
      doc: {
        operationId: 'discardStaged',
        tag: 'Mocks',
        summary: 'Discard staged edits: reset the working copy to the saved version',
        answer: record,
        headers: ['If-Match', 'Idempotency-Key'],
        refusals: ['mockNotFound', 'mockOfFile', 'idempotencyKeyReused', 'limitReached', 'preconditionFailed'],
      },
      handle(call) {
        changeMock(context, call, discardStaged, mockInput(call), asEdited);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/versions',
      access: 'read',
      doc: {
        operationId: 'listVersions',
        tag: 'Mocks',
        summary: 'List saved versions, newest first',
        answer: Type.Object({ data: Type.Array(versionSchema) }),
        refusals: ['mockNotFound'],
      },
      handle(call) {
        owners.query(readMock, mockInput(call), call.caller, (mock) => {
          if (isRefusal(mock)) return call.refuse(mock);
          const versions = mock.versions.toReversed().map(representVersion);
          return call.succeed(`"data":${JSON.stringify(versions)}`);
        });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/versions/:n',
      access: 'read',
      doc: {
        operationId: 'readVersion',
        tag: 'Mocks',
        summary: 'Read a saved version',
        answer: ofData(wholeVersion),
        refusals: ['mockNotFound', 'versionNotFound'],
      },
      handle(call) {
        const input = { ...mockInput(call), number: versionNumber(call) };
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
    endpoint({
      method: 'POST',
      path: '/v1/mocks/:id/versions/:n/restore',
      access: 'write',
      doc: {
        operationId: 'restoreVersion',
        tag: 'Mocks',
        summary: 'Restore a saved version into the working copy',
        answer: record,
        headers: ['If-Match', 'Idempotency-Key'],
        refusals: [
          'mockNotFound',
          'mockOfFile',
          'idempotencyKeyReused',
          'versionNotFound',
          'limitReached',
          'preconditionFailed',
        ],
      },
      handle(call) {
        const input = { ...mockInput(call), number: versionNumber(call) };
        changeMock(context, call, restoreVersion, input, asEdited);
      },
    }),
  ];
}

function representVersion({ number, savedAt, savedBy, revisions }: Mock['versions'][number]) {
  return { version: number, savedAt, savedBy, routeCount: revisions.length };
}
