/** The routes of a working copy or of a saved version as a list, whole or as summaries; docs/mocks-fields.md, "Many routes". */
import { isRefusal } from '../../../errors.ts';
import { copyBytes, type RouteRevision } from '../../../model/mocks/mock.ts';
import { readVersion } from '../../../model/mocks/show/query-mock.ts';
import { routeSummarySchema, summaryOf } from '../../../model/mocks/show/route-summary.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operations, operationsOf } from '../operation.ts';
import { readDeclaredQuery } from '../declared-query.ts';
import { versionBytes, versionNumber, versionTag } from './addressed-version.ts';
import { ofMock } from './traffic/traffic-scope.ts';
import { answerOfMock, asStaged, mockInput, sendReply, type MocksContext } from './replies.ts';

const operation = operations('Mocks');

const fieldsQuery = Type.Object({
  fields: Type.Optional(
    Type.Enum(['all', 'summary'], { default: 'all', description: 'summary: without bodies, conditions and headers.' }),
  ),
});

type Fields = 'all' | 'summary';

export function mockRouteListsApi(context: MocksContext): Endpoint[] {
  const { owners, bodies } = context;
  const route = Type.Union([bodies.route.schema, routeSummarySchema]);

  return [
    operationsOf('Mocks', ofMock(owners))('listStagedRoutes', 'GET /staged/routes', {
      summary: 'List the routes of the working copy',
      query: fieldsQuery,
      list: route,
      tagged: true,
      run: (call, { found, query }) =>
        call.answer(copyBytes(found.staged), () =>
          sendReply(call, asStaged(found, showRoutes(found.staged.routes, query.fields))),
        ),
    }),
    operation('listVersionRoutes', 'GET /v1/mocks/:id/versions/:n/routes', {
      summary: 'List the routes of a saved version',
      query: fieldsQuery,
      list: route,
      tagged: true,
      handle(call) {
        const input = { ...mockInput(call), number: versionNumber(call) };
        const query = readDeclaredQuery(call.head.query, fieldsQuery);
        const make = (): void =>
          owners.query(readVersion, input, call.caller, (outcome) => {
            if (isRefusal(outcome)) return call.refuse(outcome);
            if (isRefusal(query)) return call.refuse(query);
            const routes = showRoutes(outcome.routes, query.fields);
            return call.succeed(`"data":${JSON.stringify(routes)}`, versionTag(input.number));
          });
        answerOfMock(
          context,
          call,
          (mock) => {
            const bytes = versionBytes(mock, input.number);
            return isRefusal(bytes) || !isRefusal(query) ? bytes : query;
          },
          make,
        );
      },
    }),
  ];
}

function showRoutes(routes: readonly RouteRevision[], fields: Fields = 'all'): readonly object[] {
  return fields === 'summary' ? routes.map(summaryOf) : routes.map(({ route }) => route);
}
