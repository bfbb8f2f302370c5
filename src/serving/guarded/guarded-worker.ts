/** What runs in a guarded thread: work on untrusted input that could take long. The thread may be ended at any point. */
import { isRefusal, type Detail, type Refusal, type RefusalKind } from '../../errors.ts';
import { parseBody } from '../../model/json-body.ts';
import type { MockDefinition } from '../../model/mocks/definition.ts';
import type { DraftKind, Drafts, PayloadLimits } from '../../model/mocks/mock-payload.ts';
import { patternProblem } from '../../model/pairs/source-pattern.ts';
import type { Explained } from '../matching/explain.ts';
import type { MockRequest } from '../matching/mock-request.ts';

/** @returns The problem of each pattern, in their order. */
export function checkPatterns(patterns: readonly string[]): (string | undefined)[] {
  return patterns.map(patternProblem);
}

export interface DraftTask<Kind extends DraftKind> {
  readonly kind: Kind;
  readonly json: Uint8Array;
  readonly limits: PayloadLimits;
}

/** A refusal crosses as its fields: threads lose classes. */
export type ParsedDraft<Kind extends DraftKind> =
  | { readonly draft: Drafts[Kind] }
  | { readonly refused: { kind: RefusalKind; details: readonly Detail[] | undefined; reason: string | undefined } };

/** Reads what was sent of a mock. */
export async function parseDraft<Kind extends DraftKind>(task: DraftTask<Kind>): Promise<ParsedDraft<Kind>> {
  const draft = await draftOf(task);
  if (!isRefusal(draft)) return { draft };
  const { kind, details, reason } = draft;
  return { refused: { kind, details, reason } };
}

async function draftOf<Kind extends DraftKind>(task: DraftTask<Kind>): Promise<Drafts[Kind] | Refusal> {
  const body = parseBody(
    Buffer.from(task.json.buffer, task.json.byteOffset, task.json.byteLength),
    'mockPayloadInvalid',
  );
  if (isRefusal(body)) return body;
  const { mockParser } = await import('../../model/mocks/mock-payload.ts');
  return mockParser(task.limits)[task.kind](body);
}

export interface DryRun {
  readonly definition: MockDefinition;
  /** No mock may set a cookie for them. */
  readonly sharedDomains: readonly string[];
  /** The body as bytes of a view: threads lose the class of a Buffer. */
  readonly request: Omit<MockRequest, 'body'> & { readonly body: Uint8Array | undefined };
}

/** Answers a request without serving it. Counters and traffic are not touched: they live in other threads. */
export async function explain({ definition, sharedDomains, request }: DryRun): Promise<Explained> {
  // Loaded on first use: checking patterns, the common task, starts a thread far sooner without it.
  const { explainRequest } = await import('../matching/explain.ts');
  const asked = { ...request, body: request.body && Buffer.from(request.body) };
  return explainRequest(definition, asked, sharedDomains);
}
