/** Stubs by their metadata, which is matched as the body of a request is, by the same operators. */
import { isRefusal, type Refusal } from '../../../errors.ts';
import type { Stub } from '../world.ts';
import { fail, Failure } from './errors.ts';
import type { Answer, Question } from './question.ts';
import { readPattern } from './read-stubs.ts';

type Outcome = Answer | Failure | Refusal;

/** @param use Gets the stubs that match, in the order in which they are asked. */
export async function byMetadata(
  question: Question,
  use: (stubs: readonly Stub[]) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const { parts, world, call, body } = question;
  const route = await readPattern({ ...question, body: { bodyPatterns: [body] } });
  if (route instanceof Failure || isRefusal(route)) return route;
  const stubs = world.stubs.filter(({ source }) => source.metadata !== undefined);
  const requests = stubs.map(({ source }) => ({ ...REQUEST, body: Buffer.from(JSON.stringify(source.metadata)) }));
  const rules = route.responses[0]?.rules ?? [];
  const differences = await parts.explain(call.caller.ownerId, { rules, clock: undefined, requests });
  if (differences === undefined)
    return fail(500, 'Metadata cannot be judged', 'it took too long: use a simpler matcher');
  return isRefusal(differences) ? differences : use(stubs.filter((_, index) => differences[index]?.length === 0));
}

const JSON_BODY = ['content-type', 'application/json'];
const REQUEST = {
  method: 'POST',
  path: '/',
  query: '',
  headers: JSON_BODY,
  bodyTruncated: false,
  time: 0,
  route: undefined,
};
