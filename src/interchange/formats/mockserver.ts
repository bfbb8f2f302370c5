/** Reads expectations of MockServer: one, a list, or a folder of such files. They are asked by priority, then in their order. */
import { isObject } from '../../base/json-object.ts';
import type { Detection, ImportOptions, MockFormat, ReadMock } from '../format.ts';
import { countMembers, numberIn, typed, type Members } from '../reading/members.ts';
import type { Item, ReportWriter } from '../report/report.ts';
import type { Bundle } from '../source/bundle.ts';
import type { Member } from '../source/member.ts';
import { stubFiles, stubMock } from '../stubs/stub-mock.ts';
import { socketRoutes, type SocketStub } from '../stubs/socket-stubs.ts';
import type { Stub } from '../stubs/stub.ts';
import { readAction } from './mockserver/action.ts';
import { readRequest } from './mockserver/request.ts';
import { readSocket } from './mockserver/socket.ts';

export const mockserverFormat: MockFormat = {
  name: 'mockserver',
  isFolder: true,
  detect,
  read,
};

function detect(content: unknown): Detection | undefined {
  const [first] = Array.isArray(content) ? (content as unknown[]) : [content];
  if (!isObject(first) || !Object.hasOwn(first, 'httpRequest')) return undefined;
  return { format: 'mockserver', detectedBy: '`httpRequest`' };
}

function read(root: Member, bundle: Bundle, options: ImportOptions, report: ReportWriter): ReadMock[] {
  const files = stubFiles(root, bundle, (content) => detect(content) !== undefined);
  const expectations = files.flatMap((file) => (file.isArray ? file.items() : [file]));
  const all = expectations.flatMap((expectation) => readExpectation(expectation, report));
  const ordered = all.toSorted((one, other) => other.priority - one.priority);
  const stubs = ordered.flatMap(({ stub }) => stub ?? []);
  const mock = stubMock(options.name ?? '', stubs, {
    uncounted: 'mockserver.times',
  });
  const sockets = ordered.flatMap(({ socket }) => socket ?? []);
  return [{ ...mock, routes: [...mock.routes, ...socketRoutes(sockets, true)] }];
}

const EXPECTATION: Members = { id: ['text'], created: ['text'] };

function readExpectation(
  expectation: Member,
  report: ReportWriter,
): { readonly stub?: Stub; readonly socket?: SocketStub; readonly priority: number }[] {
  const item = report.item('stub', expectation);
  const priority = numberIn(expectation, 'priority') ?? 0;
  countMembers(expectation, EXPECTATION, { code: 'mockserver.metadata' }, report);
  const times = timesOf(typed(expectation, 'times', 'object'));
  readTimeToLive(typed(expectation, 'timeToLive', 'object'), item);
  const request = readRequest(typed(expectation, 'httpRequest', 'object'), item, report);
  const action = typed(expectation, 'httpWebSocketResponse', 'object');
  if (action !== undefined) {
    const socket = readSocket(action, item, report);
    if (times !== undefined) item.note('mockserver.times');
    return request === undefined || socket === undefined ? [] : [{ socket: { item, ...request, ...socket }, priority }];
  }
  const response = readAction(expectation, item, report);
  // One that is used up answers nothing there, too.
  if (request === undefined || response === undefined || times === 0) return [];
  const stub = { item, ...request, responses: [response], ...(times === undefined ? {} : { times }) };
  return [{ stub, priority }];
}

function timesOf(times: Member | undefined): number | undefined {
  const remaining = times && numberIn(times, 'remainingTimes');
  const isUnlimited = times?.get('unlimited')?.value === true;
  return isUnlimited || remaining === undefined ? undefined : Math.max(0, Math.trunc(remaining));
}

function readTimeToLive(timeToLive: Member | undefined, item: Item): void {
  if (timeToLive === undefined) return;
  const { unlimited, timeToLive: value } = timeToLive.whole() as { unlimited?: unknown; timeToLive?: unknown };
  if (unlimited !== true && value !== undefined) item.note('mockserver.time-to-live', timeToLive);
}
