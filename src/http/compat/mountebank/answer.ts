/** Answers mountebank's admin API: finds the space, the owner's base mock and the operation. */
import { percentDecoded } from '../../../base/percent.ts';
import { isRefusal, REFUSALS } from '../../../errors.ts';
import { parseBody } from '../../../model/json-body.ts';
import { mayUse } from '../../../model/principal.ts';
import type { Call } from '../../call.ts';
import { Router } from '../../router.ts';
import { answerInTurn, type Large } from '../answer-in-turn.ts';
import { findBase } from './base-mock.ts';
import { badData, errorsOfRefusal, fail, Failure, missing, shownErrors } from './errors.ts';
import { HOME, logChange } from './home.ts';
import { IMPOSTERS } from './imposters.ts';
import type { Answer, MountebankParts, Operation, Outcome } from './question.ts';
import { SPACE } from './space.ts';
import { STUBS } from './stubs.ts';

const SPACES = '/compat/mountebank/:space';

const OPERATIONS = new Router<Operation>([...HOME, ...IMPOSTERS, ...STUBS]);

export async function answerMountebank(parts: MountebankParts, call: Call, body: Buffer | undefined): Promise<void> {
  const [named = '', rest = ''] = call.params;
  const [space = ''] = named.split('~');
  const path = `/${rest}`;
  const isChange = call.head.method !== 'GET' && call.head.method !== 'HEAD';
  return answerInTurn(call, isChange ? `${call.caller.ownerId}/${space}` : undefined, async () => {
    const outcome = await outcomeOf(parts, call, space, path, body);
    if ('make' in outcome) return { ...outcome, make: async () => sentOf(await outcome.make()) };
    if (isChange && SPACE.test(space)) logChange({ call, space }, path, shown(outcome).status ?? 200);
    return sentOf(outcome);
  });
}

function sentOf(outcome: Outcome) {
  if (isRefusal(outcome)) return outcome;
  const { status = 200, json, headers } = shown(outcome);
  // In one line: a list is nested, and spaces before its items would be many times its size.
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(json), headers };
}

function shown(outcome: Outcome): Answer {
  if (isRefusal(outcome)) return { status: REFUSALS[outcome.kind].status, json: {} };
  return outcome instanceof Failure
    ? { status: outcome.status, json: { errors: shownErrors(outcome.errors) } }
    : outcome;
}

async function outcomeOf(
  parts: MountebankParts,
  call: Call,
  space: string,
  path: string,
  bytes: Buffer | undefined,
): Promise<Outcome | Large<Outcome>> {
  const { head, caller, params } = call;
  if (!SPACE.test(space))
    return badData(
      'a space has 1 to 34 of a-z, 0-9 and single hyphens; no hyphen is at its ends or before a number that ends it',
    );
  const found = OPERATIONS.find(path);
  const operation = found?.methods.get(head.method === 'HEAD' ? 'GET' : head.method);
  if (operation === undefined || found === undefined) return missing(`${head.method} ${path}: no such endpoint`);
  // By endpoint in log and metrics.
  call.route = { method: operation.method, path: SPACES + operation.path, refusalBody: errorsOfRefusal };
  if (!mayUse(operation.access, caller.role))
    return fail(401, 'unauthorized', "a viewer's key may only read: this takes an editor's");
  const body = bytes === undefined ? {} : parseBody(bytes, 'badRequest');
  if (isRefusal(body)) return invalidJson(bytes);
  const mock = await findBase(parts, caller);
  if (isRefusal(mock)) return mock;
  call.releaseBody();
  // A secret of the space hangs on a session of its name, which lives on with each call.
  if (mock !== undefined) parts.sessions.find(mock.id, space);
  return operation.answer({
    parts,
    call,
    space,
    mock,
    base: `${parts.scheme}://${head.host}${`/compat/mountebank/${params[0] ?? ''}`.slice(head.prefix.length)}`,
    params: found.params.map((param) => percentDecoded(param) ?? param),
    query: new URLSearchParams(head.query),
    body,
  });
}

const SOURCE_CHARS_MAX = 1_000;

function invalidJson(bytes: Buffer | undefined): Failure {
  const source = bytes?.toString().slice(0, SOURCE_CHARS_MAX);
  return new Failure(400, [{ code: 'invalid JSON', message: 'Unable to parse body as JSON', source }]);
}
