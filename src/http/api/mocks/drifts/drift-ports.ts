/** Connects drift runs to this server: sandbox, egress process, and edits of the working copy. */
import { bufferOf } from '../../../../base/bytes.ts';
import type { Answer } from '../../../../drift/answer.ts';
import type { ComparisonResult } from '../../../../drift/compare-answers.ts';
import type { CheckedRequest, Drafted, DraftTask } from '../../../../drift/draft-checks.ts';
import type { DriftPorts, StagedAnswer, NoAnswer } from '../../../../drift/run-drift.ts';
import { withAnswers } from '../../../../drift/staged-answers.ts';
import { isRefusal, type Refusal } from '../../../../errors.ts';
import type { UpstreamCall } from '../../../../forward/upstream-call.ts';
import { DRIFT_BODY_BYTES_MAX, DRIFT_REQUEST_MS } from '../../../../limits.ts';
import { putStaged } from '../../../../model/mocks/decide/decide-staged.ts';
import type { HeaderEdit, HeaderLine, MockDefinition } from '../../../../model/mocks/definition/definition.ts';
import { definitionOf, type Mock } from '../../../../model/mocks/mock.ts';
import { readMock } from '../../../../model/mocks/show/query-mock.ts';
import { etagOf } from '../../../../model/precondition.ts';
import type { Principal } from '../../../../model/principal.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';

/** The tasks of a drift run in the sandbox. */
interface DriftSandbox {
  readonly draft: (ownerId: string, task: DraftTask) => Promise<Drafted | undefined | Refusal>;
  readonly compare: (
    ownerId: string,
    task: {
      readonly mocks: readonly [Answer, ...Answer[]];
      readonly upstreams: readonly [Answer, ...Answer[]];
      readonly comparison: Parameters<DriftPorts['compare']>[2];
    },
  ) => Promise<ComparisonResult | undefined | Refusal>;
  /** Checks a definition, as one that was sent. */
  readonly parse: (ownerId: string, json: Buffer) => Promise<Partial<MockDefinition> | Refusal>;
}

/** Sends one request to an upstream. @returns Undefined when this server cannot reach upstreams. */
type AskUpstream = (question: {
  readonly call: UpstreamCall;
  readonly body: string;
  readonly bodyBytesMax: number;
}) => Promise<
  | {
      readonly status: number;
      readonly headers: readonly string[];
      readonly body: string;
      readonly bodyOmitted?: 'tooLarge' | 'undecodable';
    }
  | NoAnswer
  | undefined
>;

export interface DriftParts {
  readonly owners: OwnerDirectory;
  readonly sandbox: DriftSandbox;
  readonly askUpstream: AskUpstream;
}

interface RunSettings extends Omit<DraftTask, 'from' | 'count' | 'skipped'> {
  readonly caller: Principal;
  readonly mock: Pick<Mock, 'id' | 'creationDate'>;
  readonly upstream: string;
  readonly edits: readonly HeaderEdit[];
  readonly stages: boolean;
}

export function driftPorts({ owners, sandbox, askUpstream }: DriftParts, settings: RunSettings): DriftPorts {
  const { caller, mock, upstream, edits, stages, ...task } = settings;
  const { id, creationDate } = mock;
  const { ownerId } = caller;
  const means = {
    draft: (from: number, count: number, skipped: DraftTask['skipped']) =>
      sandbox.draft(ownerId, { ...task, from, count, skipped }),
    compare: (...[mocks, upstreams, comparison]: Parameters<DriftPorts['compare']>) =>
      sandbox.compare(ownerId, { mocks, upstreams, comparison }),
    send: async (request: CheckedRequest): Promise<Answer | NoAnswer> => {
      const call = callOf(request, ownerId, upstream, edits);
      const question = { call, body: bufferOf(request.body).toString('base64'), bodyBytesMax: DRIFT_BODY_BYTES_MAX };
      const answer = await askUpstream(question);
      if (answer === undefined) return UNREACHABLE;
      if ('failure' in answer) return answer;
      return { ...answer, headers: toHeaderLines(answer.headers), body: Buffer.from(answer.body, 'base64') };
    },
  };
  return stages
    ? { ...means, stage: (answers) => stage(owners, sandbox, caller, { id, creationDate }, answers) }
    : means;
}

const UNREACHABLE = { failure: 'egressDown', reason: 'this server cannot reach upstreams at the moment: see its log' };

/** Usual headers of a client that is not a browser. */
const USUAL: readonly HeaderLine[] = [
  { name: 'accept', value: '*/*' },
  { name: 'user-agent', value: 'switchyard' },
];

function callOf(
  { method, path, query, headers, body }: CheckedRequest,
  ownerId: string,
  upstream: string,
  edits: readonly HeaderEdit[],
): UpstreamCall {
  const has = (name: string): boolean => headers.some((line) => line.name.toLowerCase() === name);
  const edited = new Set(edits.map(({ name }) => name.toLowerCase()));
  const lines = [...headers, ...USUAL.filter(({ name }) => !has(name))];
  return {
    kind: 'drift',
    ownerId,
    upstream,
    client: '',
    method,
    path,
    query,
    headers: lines.flatMap(({ name, value }) => [name.toLowerCase(), value]),
    bodyBytes: body.length,
    timeoutMs: DRIFT_REQUEST_MS,
    host: '',
    keepsHost: false,
    scheme: 'http',
    requestHeaders: [...OWN_REQUEST.filter(({ name }) => !edited.has(name)), ...edits],
    responseHeaders: [],
    rewrites: false,
    root: '',
  };
}

/** It is this server that asks, for no client, and reads the body. */
const OWN_REQUEST: readonly HeaderEdit[] = [
  { name: 'x-forwarded-for', value: null },
  { name: 'x-forwarded-proto', value: null },
  { name: 'accept-encoding', value: 'identity' },
];

function toHeaderLines(headers: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2)
    lines.push({ name: headers[at] as string, value: headers[at + 1] as string });
  return lines;
}

/** Somebody may edit the working copy at the same time. */
const STAGE_TRIES = 3;

async function stage(
  owners: OwnerDirectory,
  sandbox: DriftSandbox,
  caller: Principal,
  { id: mockId, creationDate }: RunSettings['mock'],
  answers: readonly StagedAnswer[],
): Promise<number | string> {
  let refusal: Refusal | undefined;
  for (let tries = 0; tries < STAGE_TRIES; tries++) {
    const mock = await owners.ask(readMock, { mockId }, caller);
    if (isRefusal(mock)) return notStaged(mock);
    if (mock.creationDate !== creationDate) return 'nothing was staged: the mock was deleted';
    const { definition, count } = withAnswers(definitionOf(mock.staged), answers);
    const draft = await sandbox.parse(caller.ownerId, Buffer.from(JSON.stringify(definition)));
    if (isRefusal(draft)) return notStaged(draft);
    const input = { mockId, ifMatch: etagOf(mock.stagedVersion), definition: draft };
    const outcome = await owners.change(putStaged, input, caller);
    if (!isRefusal(outcome)) return count;
    refusal = outcome;
    if (outcome.kind !== 'preconditionFailed') break;
  }
  return notStaged(refusal as Refusal);
}

function notStaged({ message, details = [] }: Refusal): string {
  return [`nothing was staged: ${message}`, ...details.map(({ path, message: why }) => `${path}: ${why}`)].join('; ');
}
