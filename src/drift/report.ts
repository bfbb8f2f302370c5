/** What a run finds: its schema, and what follows from its parts. docs/mocks.md, "Drift". */
import type { Static } from 'typebox';
import { DRIFT_CHANGES_PER_RESULT_MAX, DRIFT_RESULTS_MAX } from '../limits.ts';
import { Type } from '../model/schema-type.ts';

const CHANGE_KINDS = ['status', 'mediaType', 'missing', 'type', 'added', 'value'] as const;

const changeSchema = Type.Object({
  at: Type.String({ description: 'A JSONPath into the body, `status` or `content-type`.' }),
  kind: Type.Enum([...CHANGE_KINDS], {
    description: 'All but `added` are breaking. `missing`: the mock has it, the service does not.',
  }),
  mock: Type.String({ description: 'What the mock has there: a type, or a value. "" for nothing.' }),
  upstream: Type.String({ description: 'What the service has there.' }),
});

export type Change = Static<typeof changeSchema>;

const resultSchema = Type.Object({
  routeId: Type.String(),
  responseId: Type.String(),
  route: Type.String({ description: 'Method and path of the route.' }),
  label: Type.String({ description: 'Of the response.' }),
  status: Type.Integer({ description: 'Of the response.' }),
  request: Type.Union([Type.Object({ method: Type.String(), path: Type.String() }), Type.Null()], {
    description: 'What was sent, without its headers and body; null where nothing was.',
  }),
  verdict: Type.Enum(['same', 'changed', 'failed', 'skipped'], {
    description: '`failed`: the service has not answered. `skipped`: nothing was sent, or nothing can be compared.',
  }),
  breaking: Type.Boolean({ description: 'Whether any change is more than `added`.' }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed or was skipped, as a code.' }),
  detail: Type.Union([Type.String(), Type.Null()], { description: 'The same in words.' }),
  changes: Type.Array(changeSchema, { description: `The first ${DRIFT_CHANGES_PER_RESULT_MAX} of them.` }),
  changeCount: Type.Integer({ description: 'All of them.' }),
  volatile: Type.Array(Type.String(), {
    description: 'What differs from one answer of the service to the next: only its type is compared.',
  }),
});

export type DriftResult = Static<typeof resultSchema>;

const VERDICTS = ['same', 'added', 'breaking', 'failed'] as const;

const summaryMembers = {
  id: Type.String(),
  mockId: Type.String(),
  version: Type.Union([Type.Integer(), Type.Null()], { description: 'Null for the working copy.' }),
  upstream: Type.String(),
  compare: Type.Enum(['shape', 'values']),
  state: Type.Enum(['running', 'finished', 'cancelled', 'outOfTime']),
  verdict: Type.Union([Type.Enum([...VERDICTS]), Type.Null()], {
    description:
      '`failed` when nothing could be compared. Null while it runs, and when it was cancelled before anything was compared.',
  }),
  startedAt: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  finishedAt: Type.Union([Type.Integer(), Type.Null()]),
  requests: Type.Integer({ description: 'That were sent.' }),
  counts: Type.Object({
    same: Type.Integer(),
    changed: Type.Integer(),
    breaking: Type.Integer({ description: 'Of those changed.' }),
    failed: Type.Integer(),
    skipped: Type.Integer(),
  }),
  staged: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Responses that have the answer of the service in the working copy now; null without `stage`.',
  }),
  problem: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it did not run to its end, or did not stage.',
  }),
};

export const summarySchema = Type.Object(summaryMembers);
export const reportSchema = Type.Object({
  ...summaryMembers,
  results: Type.Array(resultSchema, { description: `In the order of the routes, at most ${DRIFT_RESULTS_MAX}.` }),
});

type DriftSummary = Static<typeof summarySchema>;
export type DriftReport = Static<typeof reportSchema>;

export function isBreaking({ kind }: Pick<Change, 'kind'>): boolean {
  return kind !== 'added';
}

export function summaryOf({ results: _results, ...summary }: DriftReport): DriftSummary {
  return summary;
}

export function countResult(counts: DriftReport['counts'], { verdict, breaking }: DriftResult): DriftReport['counts'] {
  const counted = { ...counts, [verdict]: counts[verdict] + 1 };
  return breaking ? { ...counted, breaking: counted.breaking + 1 } : counted;
}

export function verdictOf({ same, changed, breaking }: DriftReport['counts']): (typeof VERDICTS)[number] {
  if (breaking > 0) return 'breaking';
  if (changed > 0) return 'added';
  return same > 0 ? 'same' : 'failed';
}

/** Why nothing was compared for a response, in words. */
const SKIPPED = {
  noSample: 'no request is known that this response answers: record one as its sample',
  otherResponse: 'another response of the mock answers its sample',
  unsafe: 'its method may change something: only GET and HEAD are sent unless `unsafe` is true',
  proxied: 'the service itself answers for this response',
  stream: 'it is a stream, which may never end: bodies alone are compared',
  fault: 'it has a fault, which no service is expected to have',
  notByRequest: 'the request does not decide that this response answers: the selection of its route does',
  redacted: 'its sample has a credential that was not recorded',
  noCredential: 'the service wants a credential that was not recorded',
  tooMany: 'the run has sent as many requests as it may',
  tooLarge: 'the answer of the service is too large to be compared',
  undecodable: 'the body of the mock or of the service cannot be decoded',
  mockProblem: 'the mock cannot answer it',
  cancelled: 'the run was cancelled',
  outOfTime: 'the time of the run was up',
} as const;

export type SkipReason = keyof typeof SKIPPED;

export function skipDetail(reason: SkipReason): string {
  return SKIPPED[reason];
}
