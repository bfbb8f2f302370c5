/** A dry run of rules: what they do to a request, and why; docs/api.md, "Evaluate". It calls nobody. */
import { bufferOf } from '../../base/bytes.ts';
import { isRefusal, refuse, type Refusal } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import {
  groupsNamed,
  modeOf,
  ruleAlone,
  storedRules,
  type DraftRules,
  type EvaluatedRules,
} from '../../model/evaluated-rules.ts';
import type { SentRuleOverlay } from '../../model/gateway/session.ts';
import { evaluatePayloadSchema, evaluationSchema } from '../../model/evaluation.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import type { Exchange } from '../../rules-table/evaluate.ts';
import type { Call } from '../call.ts';
import type { Endpoint, EndpointBody } from '../endpoint.ts';
import { operations } from './operation.ts';
import { questionReader, type Evaluated, type EvaluateSettings, type SentDrafts } from './evaluate-body.ts';
import type { CheckPatterns } from './rules.ts';

const operation = operations('Rules');

/** @returns The whole answer, as UTF-8; undefined when it took too long. */
export type EvaluateRules = (
  ownerId: string,
  rules: EvaluatedRules,
  exchange: Exchange,
  settings: EvaluateSettings,
) => Promise<Uint8Array | undefined | Refusal>;

interface EvaluateParts {
  readonly checkPatterns: CheckPatterns;
  readonly evaluate: EvaluateRules;
  /** Whether this server runs the code of rules. */
  readonly runsCode: boolean;
  readonly overlayOf: OverlayOfSession;
}

const EXAMPLES = {
  'Stored rules': { request: { url: 'https://api.example.com/users' } },
  'A draft, on an answer': {
    request: { url: 'https://api.example.com/users' },
    response: { status: 200, headers: { 'content-type': 'application/json' }, body: '[]' },
    rules: [
      {
        name: 'Out of order',
        ruleType: 'Response',
        pairs: [
          {
            source: { key: 'Url', operator: 'Contains', value: '/users' },
            type: 'static',
            value: '{"error":"try again later"}',
            statusCode: 503,
          },
        ],
      },
    ],
  },
};

/** @param madeAt Of the session that was made then alone. @returns The overlay of a session of the gateway. */
export type OverlayOfSession = (ownerId: string, session: string, madeAt?: number) => SentRuleOverlay | Refusal;

export function evaluateApi(
  owners: OwnerDirectory,
  limits: Limits,
  { checkPatterns, evaluate, overlayOf, runsCode }: EvaluateParts,
): Endpoint[] {
  const read = questionReader(checkPatterns, runsCode);
  const body: EndpointBody<Evaluated> = {
    schema: evaluatePayloadSchema(limits),
    examples: EXAMPLES,
    bytesMax: limits.bodyBytesMax,
    invalid: 'rulePayloadInvalid',
    read: (bytes, call) => read(bytes, call.caller.ownerId),
  };
  return [
    operation('evaluateRules', 'POST /v1/rules/evaluate', {
      access: 'read',
      summary: 'Evaluate rules against a request, with reasons; sends and changes nothing',
      data: evaluationSchema,
      refuses: ['ruleNotFound', 'sessionNotFound', 'rulePairsInvalid', 'limitReached'],
      body,
      handle(call, evaluated) {
        if (isRefusal(evaluated)) return call.refuse(evaluated);
        findRules(owners, overlayOf, call, evaluated, (rules) => {
          if (isRefusal(rules)) return call.refuse(rules);
          call.releaseBody();
          const { exchange, settings } = evaluated;
          const mode = settings.mode ?? modeOf(rules);
          return void call.later(evaluate(call.caller.ownerId, rules, exchange, { ...settings, mode }), (answer) => {
            if (isRefusal(answer)) return call.refuse(answer);
            if (answer === undefined) return call.refuse(refuse('rulePayloadInvalid', [TOO_LONG]));
            return call.answer(answer.length, () => call.sendJson(bufferOf(answer)), 1);
          });
        });
      },
    }),
  ];
}

const TOO_LONG = { path: '', message: 'the dry run took too long' };

function findRules(
  owners: OwnerDirectory,
  overlayOf: OverlayOfSession,
  { caller }: Call,
  { ruleId, drafts, session }: Evaluated,
  found: (rules: EvaluatedRules | Refusal) => void,
): void {
  if (drafts !== undefined) {
    const { otherGroupIds } = drafts;
    return owners.query(groupsNamed, { groupIds: otherGroupIds }, caller, (known) =>
      found(isRefusal(known) ? known : draftRules(drafts, known)),
    );
  }
  if (ruleId !== undefined) return owners.query(ruleAlone, { ruleId }, caller, found);
  const overlay = session === undefined ? undefined : overlayOf(caller.ownerId, session);
  if (isRefusal(overlay)) return found(overlay);
  return owners.query(storedRules, undefined, caller, (stored) =>
    found(isRefusal(stored) || overlay === undefined ? stored : { ...stored, overlay }),
  );
}

function draftRules({ json, checked, groups }: SentDrafts, known: Pick<DraftRules, 'version' | 'groups'>): DraftRules {
  const { version } = known;
  return { kind: 'drafts', version, json, checked, groups: new Map([...known.groups, ...groups]) };
}
