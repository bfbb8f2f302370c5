/** Drift runs: whether a real service still answers as a mock does; docs/drift.md. */
import type { DriftBook } from '../../../../drift/drift-book.ts';
import { reportSchema, summaryOf, summarySchema } from '../../../../drift/report.ts';
import type { DriftRun } from '../../../../drift/run-drift.ts';
import { isRefusal, refuse } from '../../../../errors.ts';
import { DRIFT_WAIT_MS_MAX } from '../../../../limits.ts';
import { savedVersionOf, type Mock } from '../../../../model/mocks/mock.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import type { Call } from '../../../call.ts';
import { checkedBody } from '../../../checked-reader.ts';
import type { Endpoint } from '../../../endpoint.ts';
import { operationsOf, type Subject } from '../../operation.ts';
import { definitionAgainst } from '../addressed-version.ts';
import { ofMock } from '../traffic/traffic-scope.ts';
import { driftSchema, targetOf, type DriftInput } from './drift-input.ts';
import { driftPorts, type DriftParts } from './drift-ports.ts';

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
  const operation = operationsOf('Drift', ofMock(owners));
  const ofRun = operationsOf('Drift', ofDrift(owners, book));
  return [
    operation('startDrift', 'POST /drifts', {
      summary: 'Start a drift run: compare a mock with the real service',
      data: summarySchema,
      refuses: ['versionNotFound', 'mockOfFile', 'limitReached'],
      body: checkedBody(driftSchema, 'mockPayloadInvalid', bodyBytesMax, {
        Drift: { upstream: 'https://api.example.com/v1', ignore: ['$.requestId'] },
      }),
      async run(call, { found: mock, body }) {
        if (body.stage === true && mock.file !== null) return refuse('mockOfFile');
        const run = await begin(book, parts, call, mock, body);
        return isRefusal(run) ? run : summaryOf(run.report);
      },
    }),
    operation('listDrifts', 'GET /drifts', {
      summary: 'List the last drift runs, newest first, without results',
      list: summarySchema,
      run: (call, { found: mock }) => book.list(call.caller.ownerId, mock).map(({ report }) => summaryOf(report)),
    }),
    ofRun('readDrift', 'GET', {
      summary: 'Read the report of a drift run, waiting up to waitMs for its end',
      query: readQuery,
      data: reportSchema,
      async run(_call, { found: run, query: { waitMs = 0 } }) {
        await ended(run, waitMs);
        return run.report;
      },
    }),
    ofRun('cancelDrift', 'DELETE', {
      summary: 'Cancel a drift run; its report keeps the results so far',
      data: summarySchema,
      async run(_call, { found: run }) {
        run.cancel();
        await run.finished;
        return summaryOf(run.report);
      },
    }),
  ];
}

/** A run about a mock of the caller's owner. */
function ofDrift(owners: OwnerDirectory, book: DriftBook): Subject<DriftRun> {
  const { path, enter } = ofMock(owners);
  return {
    path: `${path}/drifts/:driftId`,
    enter: (call, use) =>
      enter(call, (mock) => {
        const run = book.find(call.caller.ownerId, mock, call.params[1] ?? '');
        return isRefusal(run) ? call.refuse(run) : use(run);
      }),
  };
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
