/** Drift runs: whether a real service still answers as a mock does; docs/drift.md. */
import type { DriftBook } from '../../../../drift/drift-book.ts';
import { reportSchema, summaryOf, summarySchema } from '../../../../drift/report.ts';
import type { DriftRun } from '../../../../drift/run-drift.ts';
import { isRefusal, refuse } from '../../../../errors.ts';
import { DRIFT_WAIT_MS_MAX } from '../../../../limits.ts';
import { savedVersionOf, type Mock } from '../../../../model/mocks/mock.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { Call } from '../../../call.ts';
import { checkedReader } from '../../../checked-reader.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../../endpoint.ts';
import { readDeclaredQuery } from '../../declared-query.ts';
import { definitionAgainst } from '../addressed-version.ts';
import { withMock } from '../traffic/traffic-scope.ts';
import { driftSchema, targetOf, type DriftInput } from './drift-input.ts';
import { driftPorts, type DriftParts } from './drift-ports.ts';

const TAG = 'Drift';

const readQuery = Type.Object({
  waitMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: DRIFT_WAIT_MS_MAX,
      default: 0,
      description: 'How long to wait for the end of the run.',
    }),
  ),
});

/** @param book The runs of this server. */
export function mockDriftsApi(book: DriftBook, parts: DriftParts, bodyBytesMax: number): Endpoint[] {
  const { owners } = parts;
  const body: EndpointBody<DriftInput> = {
    schema: driftSchema,
    examples: { Drift: { upstream: 'https://api.example.com/v1', ignore: ['$.requestId'] } },
    bytesMax: bodyBytesMax,
    invalid: 'mockPayloadInvalid',
    read: checkedReader(driftSchema, 'mockPayloadInvalid'),
  };
  /** Runs `use` when the caller's owner has the mock and the run. */
  const enter = (call: Call, use: (run: DriftRun) => Promise<void>): void =>
    withMock(owners, call, async (mock) => {
      const run = book.find(call.caller.ownerId, mock, call.params[1] ?? '');
      return isRefusal(run) ? call.refuse(run) : use(run);
    });
  return [
    endpoint({
      method: 'POST',
      path: '/v1/mocks/:id/drifts',
      access: 'write',
      doc: {
        operationId: 'startDrift',
        tag: TAG,
        summary: 'Start a drift run: compare a mock with the real service',
        answer: Type.Object({ data: summarySchema }),
        untagged: true,
        refusals: ['mockNotFound', 'mockPayloadInvalid', 'versionNotFound', 'mockOfFile', 'limitReached'],
      },
      body,
      handle: (call, asked) =>
        withMock(owners, call, async (mock) => {
          if (isRefusal(asked)) return call.refuse(asked);
          if (asked.stage === true && mock.file !== null) return call.refuse(refuse('mockOfFile'));
          const run = await begin(book, parts, call, mock, asked);
          return isRefusal(run) ? call.refuse(run) : succeed(call, summaryOf(run.report));
        }),
    }),
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/drifts',
      access: 'read',
      doc: {
        operationId: 'listDrifts',
        tag: TAG,
        summary: 'List the last drift runs, newest first, without results',
        answer: Type.Object({ data: Type.Array(summarySchema) }),
        refusals: ['mockNotFound'],
      },
      handle: (call) =>
        withMock(owners, call, async (mock) => {
          const runs = book.list(call.caller.ownerId, mock);
          return succeed(
            call,
            runs.map(({ report }) => summaryOf(report)),
          );
        }),
    }),
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/drifts/:driftId',
      access: 'read',
      doc: {
        operationId: 'readDrift',
        tag: TAG,
        summary: 'Read the report of a drift run, waiting up to waitMs for its end',
        query: readQuery,
        answer: Type.Object({ data: reportSchema }),
        untagged: true,
        refusals: ['mockNotFound', 'driftNotFound', 'badRequest'],
      },
      handle: (call) =>
        enter(call, async (run) => {
          const query = readDeclaredQuery(call.head.query, readQuery);
          if (isRefusal(query)) return call.refuse(query);
          await ended(run, query.waitMs ?? 0);
          return succeed(call, run.report);
        }),
    }),
    endpoint({
      method: 'DELETE',
      path: '/v1/mocks/:id/drifts/:driftId',
      access: 'write',
      doc: {
        operationId: 'cancelDrift',
        tag: TAG,
        summary: 'Cancel a drift run; its report keeps the results so far',
        answer: Type.Object({ data: summarySchema }),
        untagged: true,
        refusals: ['mockNotFound', 'driftNotFound'],
      },
      handle: (call) =>
        enter(call, async (run) => {
          run.cancel();
          await run.finished;
          return succeed(call, summaryOf(run.report));
        }),
    }),
  ];
}

async function begin(
  book: DriftBook,
  parts: DriftParts,
  call: Call,
  mock: Mock,
  asked: DriftInput,
): Promise<ReturnType<DriftBook['begin']>> {
  const { against = 'saved', unsafe = false, compare = 'shape', ignore = [], repeat = 2, headers = [] } = asked;
  const definition = await definitionAgainst(parts.owners, call, mock, against);
  if (isRefusal(definition)) return definition;
  const target = targetOf(asked, definition);
  if (isRefusal(target)) return target;
  const { upstream, edits } = target;
  const version = against === 'staged' ? null : against === 'saved' ? savedVersionOf(mock).number : against;
  const means = driftPorts(parts, {
    caller: call.caller,
    mock,
    upstream,
    edits,
    stages: asked.stage === true,
    definition,
    routes: asked.routes,
    isUnsafeAllowed: unsafe,
    headers,
    isTwice: compare === 'values',
  });
  return book.begin(call.caller.ownerId, mock, { version, upstream, compare, ignore, repeat }, means);
}

async function ended(run: DriftRun, ms: number): Promise<void> {
  if (ms === 0 || !run.isRunning) return;
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([run.finished, time]);
  clearTimeout(timer);
}

function succeed(call: Call, data: object): void {
  const json = JSON.stringify(data);
  call.answer(json.length, () => call.succeed(`"data":${json}`));
}
