/**
 * The code that runs in a sandbox thread: work on untrusted input that may take long. The thread may be terminated at
 * any point.
 */
import { bufferOf } from '../base/bytes.ts';
import { isRefusal, type Refusal } from '../errors.ts';
import type { ReadStub } from '../interchange/stubs/one-stub.ts';
import type { MockLimits } from '../limits.ts';
import { parseBody } from '../model/json-body.ts';
import type { ComparisonResult } from '../drift/compare-answers.ts';
import type { Drafted } from '../drift/draft-checks.ts';
import type { MockDefinition, SocketEvent } from '../model/mocks/definition/definition.ts';
import type { DraftKind, Drafts, PayloadLimits } from '../model/mocks/definition/mock-payload.ts';
import type { ReplayCheck } from '../model/mocks/upstream/replay-check.ts';
import { patternProblem } from '../model/pairs/source-pattern.ts';
import type { Explanation } from '../serving/matching/explain/explain.ts';
import type { ConditionDifference } from '../serving/matching/explain/explain-conditions.ts';
import type { RecordedRequest } from '../serving/matching/explain/explain-recorded.ts';
import type { MockRequest } from '../serving/matching/request/mock-request.ts';
import type { SigningMaterial } from '../serving/matching/signing/signing-keys.ts';
import { fieldsOf, type RefusalFields } from './refusal-fields.ts';
import type { CompareDrift, DraftDrift } from './run-drift-task.ts';
import type { ImportTask } from './run-import.ts';
import type { RuleTask, RuleTaskAnswer } from './run-rule-task.ts';
import type { Condition } from '../model/mocks/definition/condition-schema.ts';

/** `code` is that of another program: code-lane/code-thread.ts. */
export type ThreadUse = 'checks' | 'mocks' | 'rules' | 'imports' | 'code';

/**
 * Loads what the thread is used for, before its first task and outside of that task's time. Mocks are rarely checked:
 * without their code a thread starts far sooner for the common task, checking patterns.
 */
export async function start(use: ThreadUse): Promise<void> {
  if (use === 'mocks') await import('../serving/matching/explain/explain.ts');
  if (use === 'rules') await import('./run-rule-task.ts');
  if (use === 'imports') await import('./run-import.ts');
}

/** @returns The problem of each pattern, undefined for none, in the same order. */
export function checkPatterns(patterns: readonly string[]): (string | undefined)[] {
  return patterns.map(patternProblem);
}

export interface DraftTask<Kind extends DraftKind> {
  readonly kind: Kind;
  readonly json: Uint8Array;
  readonly limits: PayloadLimits;
}

export type ParsedDraft<Kind extends DraftKind> =
  | { readonly draft: Drafts[Kind] }
  | { readonly refused: RefusalFields };

/** Parses and checks the part of a mock that a client sent. */
export async function parseDraft<Kind extends DraftKind>(task: DraftTask<Kind>): Promise<ParsedDraft<Kind>> {
  const draft = await draftOf(task);
  return isRefusal(draft) ? { refused: fieldsOf(draft) } : { draft };
}

async function draftOf<Kind extends DraftKind>(task: DraftTask<Kind>): Promise<Drafts[Kind] | Refusal> {
  const body = parseBody(bufferOf(task.json), 'mockPayloadInvalid');
  if (isRefusal(body)) return body;
  const { mockParser } = await import('../model/mocks/definition/mock-payload.ts');
  return mockParser(task.limits)[task.kind](body);
}

export interface DryRun {
  readonly definition: MockDefinition;
  /** Domains that no mock may set a cookie for. */
  readonly sharedDomains: readonly string[];
  /** The body is a plain byte array: a Buffer loses its class between threads. A certificate is PEM. */
  readonly request: Omit<MockRequest, 'body' | 'clientCert'> & {
    readonly body: Uint8Array | undefined;
    readonly clientCertPem?: string | undefined;
  };
  readonly requestNumber: number;
  /** By scenario, where they are not the initial ones. */
  readonly states: Readonly<Record<string, string>>;
  readonly when?: SocketEvent;
  /** Current stores, as JSON; when absent, what they begin with. */
  readonly stores?: string | undefined;
  /** For a mock that signs tokens. */
  readonly keys?: SigningMaterial | undefined;
}

/** Answers a request without serving it. Counters and traffic are not changed: they live in the serving threads. */
export async function explain({
  definition,
  sharedDomains,
  request,
  requestNumber,
  states,
  when,
  stores,
  keys,
}: DryRun): Promise<Explanation> {
  const { explainRequest } = await import('../serving/matching/explain/explain.ts');
  if (keys !== undefined) (await import('../serving/matching/signing/signing-keys.ts')).useSigningMaterial(keys);
  const { clientCertPem = '', ...given } = request;
  const { clientCertOf } = await import('../serving/matching/request/client-cert.ts');
  const asked = { ...given, body: given.body && Buffer.from(given.body), clientCert: clientCertOf(clientCertPem) };
  return explainRequest(definition, asked, sharedDomains, requestNumber, { states, when, live: stores });
}

export interface MissedRequests {
  readonly definition: MockDefinition;
  readonly requests: readonly { readonly method: string; readonly path: string }[];
}

/** @returns The routes that are most alike to each request, nearest first. */
export async function nearestRoutes({
  definition,
  requests,
}: MissedRequests): Promise<{ readonly method: string; readonly path: string }[][]> {
  const { explainRouting } = await import('../serving/matching/explain/explain-routing.ts');
  return requests.map((asked) =>
    explainRouting(definition, asked.method, asked.path, true).nearest.map(({ method, path }) => ({ method, path })),
  );
}

export interface RecordedRequests {
  readonly rules: readonly Condition[];
  readonly clock: string | undefined;
  /** Bodies are plain byte arrays, as in a dry run. */
  readonly requests: readonly (Omit<RecordedRequest, 'body'> & { readonly body: Uint8Array })[];
}

/** @returns For each request the conditions that do not hold. */
export async function explainRecorded({ rules, clock, requests }: RecordedRequests): Promise<ConditionDifference[][]> {
  const { differencesOf } = await import('../serving/matching/explain/explain-recorded.ts');
  return requests.map((each) => differencesOf(rules, { ...each, body: bufferOf(each.body) }, clock));
}

export interface ReplayTask {
  readonly definition: MockDefinition;
  readonly sharedDomains: readonly string[];
  /** A recording as JSON of a HAR; undefined: the samples of the mock itself. */
  readonly har: Uint8Array | undefined;
  /** Further headers that must be equal. */
  readonly headers: readonly string[];
}

/** Compares what a mock answers with what was recorded. */
export async function checkReplay({ har, headers, ...mock }: ReplayTask): Promise<ReplayCheck> {
  const { checkRecording, checkSamples } = await import('../replay/check-replay.ts');
  return har === undefined
    ? checkSamples(mock)
    : checkRecording(mock, JSON.parse(bufferOf(har).toString('utf8')), headers);
}

/** Lists what is compared with a real service. */
export async function draftDrift(task: DraftDrift): Promise<Drafted> {
  const tasks = await import('./run-drift-task.ts');
  return tasks.draftDrift(task);
}

/** Compares answers of a mock and a real service. */
export async function compareDrift(task: CompareDrift): Promise<ComparisonResult> {
  const tasks = await import('./run-drift-task.ts');
  return tasks.compareDrift(task);
}

/** Evaluates rules, or is sent rules to evaluate later. */
export async function runRuleTask(task: RuleTask): Promise<RuleTaskAnswer> {
  const tasks = await import('./run-rule-task.ts');
  return tasks.runRuleTask(task);
}

/** Reads files that are imported. */
export async function runImport(task: ImportTask): Promise<object> {
  const imports = await import('./run-import.ts');
  return imports.runImport(task);
}

/** Reads stubs that WireMock's interface is sent. */
export async function readStubs({ stubs, limits }: StubsTask): Promise<ReadStub[]> {
  const { readStub } = await import('../interchange/stubs/one-stub.ts');
  return stubs.map(({ json, file }) =>
    readStub({ json, file: file && { path: file.path, bytes: bufferOf(file.bytes) } }, limits),
  );
}

export interface StubsTask {
  readonly stubs: readonly {
    readonly json: string;
    readonly file?: { readonly path: string; readonly bytes: Uint8Array } | undefined;
  }[];
  readonly limits: MockLimits;
}
