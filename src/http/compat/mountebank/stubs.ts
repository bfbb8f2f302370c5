/** The stubs of an imposter, by their index: added, replaced, removed, while it goes on. */
import { isRefusal } from '../../../errors.ts';
import type { NewStub } from '../world.ts';
import { badData, Failure, missing } from './errors.ts';
import { answered, approximatedIn } from './imposters.ts';
import { printImposter } from './print-imposter.ts';
import type { Operation, Outcome, Question } from './question.ts';
import { listOf, readStubs } from './read-imposter.ts';
import { replaceStubs, stubsOf, withImposter, type Imposter } from './space.ts';

const STUB = '/imposters/:port/stubs/:index';

export const STUBS: readonly Operation[] = [
  { method: 'POST', path: '/imposters/:port/stubs', access: 'write', answer: add },
  { method: 'PUT', path: '/imposters/:port/stubs', access: 'write', answer: replaceAll },
  { method: 'PUT', path: STUB, access: 'write', answer: replace },
  { method: 'DELETE', path: STUB, access: 'write', answer: remove },
];

function add(question: Question): Promise<Outcome> {
  return withImposter(question, async (imposter) => {
    const { stub, index = stubsOf(imposter).length } = question.body;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index > stubsOf(imposter).length)
      return badData("'index' must be between 0 and the length of the stubs array");
    if (stub === undefined) return badData("must contain 'stub' field");
    return change(question, imposter, [stub], (stubs, added) => stubs.toSpliced(index, 0, ...added));
  });
}

function replaceAll(question: Question): Promise<Outcome> {
  return withImposter(question, async (imposter) => {
    const { stubs } = question.body;
    if (stubs === undefined) return badData("'stubs' is a required field");
    const listed = listOf(stubs);
    return listed instanceof Failure ? listed : change(question, imposter, listed, (_, added) => added);
  });
}

function replace(question: Question): Promise<Outcome> {
  return atIndex(question, (imposter, index) =>
    change(question, imposter, [question.body], (stubs, added) => stubs.toSpliced(index, 1, ...added)),
  );
}

function remove(question: Question): Promise<Outcome> {
  return atIndex(question, (imposter, index) => change(question, imposter, [], (stubs) => stubs.toSpliced(index, 1)));
}

const NO_STUB = "'stubIndex' must be a valid integer, representing the array index position of the stub to replace";

function atIndex(question: Question, use: (imposter: Imposter, index: number) => Promise<Outcome>): Promise<Outcome> {
  return withImposter(question, async (imposter) => {
    const [, index = ''] = question.params;
    const isThere = /^\d+$/.test(index) && Number(index) < stubsOf(imposter).length;
    return isThere ? use(imposter, Number(index)) : badData(NO_STUB, 404);
  });
}

/** @param changed Gets the stubs as they are once the new ones are read: others may have changed in the meantime. */
async function change(
  question: Question,
  imposter: Imposter,
  sent: readonly unknown[],
  changed: (stubs: readonly NewStub[], added: readonly NewStub[]) => readonly NewStub[],
): Promise<Outcome> {
  const { parts, call } = question;
  const read = await readStubs(parts, call.caller.ownerId, imposter.header, sent);
  if (read instanceof Failure || isRefusal(read)) return read;
  if (!parts.sessions.isLive(imposter.live)) return missing('the imposter has ended');
  const published = await replaceStubs(imposter, changed(stubsOf(imposter), read));
  if (isRefusal(published)) return published;
  const outcome = answered(await printImposter(question, imposter));
  return 'json' in outcome ? { ...outcome, headers: approximatedIn(read) } : outcome;
}
