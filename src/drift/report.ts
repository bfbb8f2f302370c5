/** Findings of a run: its schema, and what follows from its parts. docs/drift.md. */
import type { Static } from 'typebox';
import { DRIFT_CHANGES_PER_RESULT_MAX, DRIFT_RESULTS_MAX } from '../limits.ts';
import { Type } from '../model/schema-type.ts';

const CHANGE_KINDS = ['status', 'mediaType', 'missing', 'type', 'added', 'value'] as const;

const changeSchema = Type.Object({
  at: Type.String({ description: 'A JSONPath into the body, `status` or `content-type`.' }),
  kind: Type.Enum([...CHANGE_KINDS], {
    description: 'All but `added` are breaking. `missing`: the mock returns it, the service does not.',
  }),
  mock: Type.String({ description: 'Type or value in the response of the mock; empty if absent.' }),
  upstream: Type.String({ description: 'Type or value in the response of the service; empty if absent.' }),
});

export type Change = Static<typeof changeSchema>;

const resultSchema = Type.Object({
  routeId: Type.String(),
  responseId: Type.String(),
  route: Type.String({ description: 'Method and path of the route.' }),
  label: Type.String({ description: 'Label or status of the response.' }),
  status: Type.Integer({ description: 'Label or status of the response.' }),
  request: Type.Union([Type.Object({ method: Type.String(), path: Type.String() }), Type.Null()], {
    description: 'The request, without headers and body; null when nothing was sent.',
  }),
  verdict: Type.Enum(['same', 'changed', 'failed', 'skipped'], {
    description: '`failed`: the service did not answer. `skipped`: nothing was sent or comparable.',
  }),
  breaking: Type.Boolean({ description: 'Whether any change is breaking.' }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed or was skipped, as a code.' }),
  detail: Type.Union([Type.String(), Type.Null()], { description: 'The reason as a sentence.' }),
  changes: Type.Array(changeSchema, { description: `The first ${DRIFT_CHANGES_PER_RESULT_MAX} changes.` }),
  changeCount: Type.Integer({ description: 'Count of all changes.' }),
  volatile: Type.Array(Type.String(), {
    description: 'Places that vary between responses of the service: only their types are compared.',
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
      '`failed` when nothing could be compared. Null while the run is active, and when it was cancelled before any comparison.',
  }),
  startedAt: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  finishedAt: Type.Union([Type.Integer(), Type.Null()]),
  requests: Type.Integer({ description: 'Count of requests sent.' }),
  counts: Type.Object({
    same: Type.Integer(),
    changed: Type.Integer(),
    breaking: Type.Integer({ description: 'Count of changed responses with breaking changes.' }),
    failed: Type.Integer(),
    skipped: Type.Integer(),
  }),
  staged: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Count of responses whose service response was staged; null without `stage`.',
  }),
  problem: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the run did not finish, or did not stage.',
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
  unsafe: 'its method may change data: only GET and HEAD are sent unless `unsafe` is true',
  proxied: 'the service itself provides this response',
  stream: 'it is a stream, which may never end: only bodies are compared',
  fault: 'it has a fault, which the service should not have',
  notByRequest: 'the selection of its route, not the request, decides whether this response answers',
  redacted: 'its sample requires a credential that was not recorded',
  noCredential: 'the service requires a credential that was not recorded',
  tooMany: 'the run reached its limit of requests',
  tooLarge: 'the response of the service is too large to compare',
  undecodable: 'the body of the mock or of the service cannot be decoded',
  mockProblem: 'the mock cannot answer it',
  cancelled: 'the run was cancelled',
  outOfTime: 'the run reached its time limit',
} as const;

export type SkipReason = keyof typeof SKIPPED;

export function skipDetail(reason: SkipReason): string {
  return SKIPPED[reason];
}
