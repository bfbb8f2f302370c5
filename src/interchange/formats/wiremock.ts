/**
 * Reads stubs of WireMock: one mapping, a list of them, or a folder with `mappings` and `__files`.
 *
 * Stubs are asked by priority, and of one priority the last that was loaded first. Files are loaded in the order of their paths.
 */
import { isObject } from '../../base/json-object.ts';
import { SCENARIOS_MAX } from '../../limits.ts';
import type { Scenario, ScenarioStep } from '../../model/mocks/definition/definition.ts';
import type { Detection, ImportOptions, MockFormat, ReadMock } from '../format.ts';
import { countMembers, objectsIn, scalarText, textIn, typed, type Members } from '../reading/members.ts';
import type { ReportWriter } from '../report/report.ts';
import type { Bundle } from '../source/bundle.ts';
import type { Member } from '../source/member.ts';
import { stubFiles, stubMock } from '../stubs/stub-mock.ts';
import { socketRoutes, type SocketStub } from '../stubs/socket-stubs.ts';
import type { Stub } from '../stubs/stub.ts';
import { isMessageStub, readMessageStub } from './wiremock/message.ts';
import { readRequest } from './wiremock/request.ts';
import { readResponse } from './wiremock/response.ts';
import { readWebhooks } from './wiremock/webhook.ts';

/** A file there must be readable. */
const MAPPINGS = /(?:^|\/)(?:message-)?mappings\//;

export const wiremockFormat: MockFormat = {
  name: 'wiremock',
  isFolder: true,
  folder: MAPPINGS,
  detect,
  read,
};

function detect(content: unknown): Detection | undefined {
  if (!isObject(content)) return undefined;
  if (Array.isArray(content.mappings)) return { format: 'wiremock', detectedBy: '`mappings`' };
  if (Array.isArray(content.messageMappings)) return { format: 'wiremock', detectedBy: '`messageMappings`' };
  if (isMessageStub(content)) return { format: 'wiremock', detectedBy: '`trigger` with `actions`' };
  if (!isObject(content.request) || !isObject(content.response)) return undefined;
  return { format: 'wiremock', detectedBy: '`request` with `response`' };
}

function read(root: Member, bundle: Bundle, options: ImportOptions, report: ReportWriter): ReadMock[] {
  const scenarios = new Scenarios();
  const files = stubFiles(
    root,
    bundle,
    (content) => detect(content) !== undefined,
    mayHaveStubs,
    (path) => MAPPINGS.test(path),
  );
  const stubs = files.flatMap((file) =>
    mappingsIn(file, report).flatMap((mapping) =>
      readStub(mapping, bundle, scenarios, options.globalTemplates === true, report),
    ),
  );
  const ordered = stubs
    .map((each, index) => ({ ...each, index }))
    .toSorted((one, other) => one.priority - other.priority || other.index - one.index);
  const mock = stubMock(
    options.name ?? '',
    ordered.flatMap(({ stub }) => stub ?? []),
    { stubsAlone: options.stubsAlone },
    scenarios.all(),
  );
  const sockets = ordered.flatMap(({ socket }) => socket ?? []);
  return [{ ...mock, routes: [...mock.routes, ...socketRoutes(sockets, false)] }];
}

function mayHaveStubs(path: string): boolean {
  return path.endsWith('.json') && !/(?:^|\/)__files\//.test(path);
}

const FILE: Members = { meta: ['any'], $schema: ['text'], importOptions: ['any'] };

function mappingsIn(file: Member, report: ReportWriter): Member[] {
  const lists = ['mappings', 'messageMappings'].filter((name) => file.has(name));
  if (lists.length === 0) return [file];
  countMembers(file, FILE, { code: 'wiremock.metadata' }, report);
  return lists.flatMap((name) => objectsIn(file, name, report));
}

const STUB: Members = {
  id: ['text'],
  uuid: ['text'],
  name: ['text'],
  persistent: ['flag'],
  insertionIndex: ['number'],
  metadata: ['any'],
  $schema: ['text'],
  newScenario: ['any'],
};
const PRIORITY = 5;

function readStub(
  mapping: Member,
  bundle: Bundle,
  scenarios: Scenarios,
  hasTemplates: boolean,
  report: ReportWriter,
): { readonly stub?: Stub; readonly socket?: SocketStub; readonly priority: number }[] {
  const item = report.item('stub', mapping);
  const priority = Number(scalarText(typed(mapping, 'priority', 'number', 'text')?.value) ?? PRIORITY) || PRIORITY;
  countMembers(mapping, STUB, { code: 'wiremock.metadata' }, report);
  if (isMessageStub(mapping.value)) {
    const socket = readMessageStub(mapping, item, report);
    return socket === undefined ? [] : [{ socket, priority }];
  }
  const step = scenarios.step(mapping);
  const request = readRequest(typed(mapping, 'request', 'object'), item);
  const pathTemplate = mapping.at('/request/urlPathTemplate')?.text();
  const response = readResponse(
    typed(mapping, 'response', 'object'),
    { pathTemplate, hasTemplates },
    bundle,
    item,
    report,
  );
  const callbacks = readWebhooks(mapping, response?.forward !== undefined, bundle, item, report);
  if (step === 'full') item.note('wiremock.state', mapping.at('/scenarioName'));
  if (request === undefined || response === undefined || step === 'full') return [];
  const responses = [{ ...response, ...callbacks, ...(step === undefined ? {} : { scenario: step }) }];
  return [{ stub: { item, ...request, responses }, priority }];
}

const STARTED = 'Started';
const NAME_CHARS_MAX = 100;
const STATES_MAX = 100;

/** Scenarios come into being as stubs name them. */
class Scenarios {
  readonly #states = new Map<string, Set<string>>();

  /** @returns undefined where the stub has none. */
  step(mapping: Member): ScenarioStep | 'full' | undefined {
    const name = textIn(mapping, 'scenarioName');
    const requires = textIn(mapping, 'requiredScenarioState');
    const moveTo = textIn(mapping, 'newScenarioState');
    if (name === undefined || name === '') return undefined;
    const states = this.#states.get(name) ?? new Set([STARTED]);
    const own = [requires, moveTo].filter((state) => state !== undefined);
    const count = new Set([...states, ...own]).size;
    const isFull = !this.#states.has(name) && this.#states.size === SCENARIOS_MAX;
    const isLong = [name, ...own].some((text) => text.length > NAME_CHARS_MAX || text === '');
    if (isFull || isLong || count > STATES_MAX) return 'full';
    for (const state of own) states.add(state);
    this.#states.set(name, states);
    return { name, ...(requires === undefined ? {} : { requires }), ...(moveTo === undefined ? {} : { moveTo }) };
  }

  all(): Scenario[] {
    return [...this.#states].map(([name, states]) => ({ name, states: [...states] }));
  }
}
