/** What runs in a guarded thread: work on untrusted input that could take long. The thread may be ended at any point. */
import type { MockDefinition } from '../model/mocks/definition.ts';
import { patternProblem } from '../model/pairs/source-pattern.ts';
import type { Explained } from './explain.ts';
import type { MockRequest } from './mock-request.ts';

/** @returns The problem of each pattern, in their order. */
export function checkPatterns(patterns: readonly string[]): (string | undefined)[] {
  return patterns.map(patternProblem);
}

export interface DryRun {
  readonly definition: MockDefinition;
  /** The body as bytes of a view: threads lose the class of a Buffer. */
  readonly request: Omit<MockRequest, 'body'> & { readonly body: Uint8Array | undefined };
}

/** Answers a request without serving it. Counters and traffic are not touched: they live in other threads. */
export async function explain({ definition, request }: DryRun): Promise<Explained> {
  // Loaded on first use: checking patterns, the common task, starts a thread far sooner without it.
  const { explainRequest } = await import('./explain.ts');
  return explainRequest(definition, { ...request, body: request.body && Buffer.from(request.body) });
}
