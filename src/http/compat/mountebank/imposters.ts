/** Imposters: made, replaced, read, ended; and what they were asked, cleared. */
import { isRefusal, refuseLimit } from '../../../errors.ts';
import type { JsonObject } from '../../../base/json-object.ts';
import { Slices } from '../../../base/slices.ts';
import { SESSIONS_PER_MOCK_MAX } from '../../../limits.ts';
import type { NewStub } from '../world.ts';
import { makeBase, unfit } from './base-mock.ts';
import { badData, Failure } from './errors.ts';
import { printImposter, type PrintOptions } from './print-imposter.ts';
import type { Answer, Operation, Outcome, Question } from './question.ts';
import type { Large } from '../answer-in-turn.ts';
import { readImposter } from './read-imposter.ts';
import { clearRecorded } from './recorded.ts';
import { endImposter, imposterOf, impostersIn, openImposter, withImposter, type NewImposter } from './space.ts';

export const IMPOSTERS: readonly Operation[] = [
  { method: 'GET', path: '/imposters', access: 'read', answer: list },
  { method: 'POST', path: '/imposters', access: 'write', answer: make },
  { method: 'PUT', path: '/imposters', access: 'write', answer: replaceAll },
  { method: 'DELETE', path: '/imposters', access: 'write', answer: endAll },
  {
    method: 'GET',
    path: '/imposters/:port',
    access: 'read',
    answer: (question) =>
      withImposter(question, async (imposter) => answered(await printImposter(question, imposter, asked(question)))),
  },
  { method: 'DELETE', path: '/imposters/:port', access: 'write', answer: end },
  { method: 'DELETE', path: '/imposters/:port/savedRequests', access: 'write', answer: clear },
  // Its older name in mountebank, which deletes recorded answers of proxies: none are recorded.
  { method: 'DELETE', path: '/imposters/:port/requests', access: 'write', answer: nothingToDelete },
  { method: 'DELETE', path: '/imposters/:port/savedProxyResponses', access: 'write', answer: nothingToDelete },
];

function asked({ query, call }: Question): PrintOptions {
  const removesProxies = isFlag(query.get('removeProxies'), 'true');
  return {
    isReplayable: isFlag(query.get('replayable'), 'true'),
    removesProxies,
    needsAll: call.head.method !== 'DELETE',
  };
}

function isFlag(given: string | null, value: string): boolean {
  return given?.toLowerCase() === value;
}

export function answered(printed: JsonObject | Failure | Outcome): Outcome {
  return printed instanceof Failure || isRefusal(printed) ? printed : { json: printed };
}

async function printAll(question: Question, options: PrintOptions): Promise<readonly JsonObject[] | Failure | Outcome> {
  const printed = await Promise.all(impostersIn(question).map((each) => printImposter(question, each, options)));
  const isPrinted = (each: (typeof printed)[number]): each is JsonObject =>
    !(each instanceof Failure || isRefusal(each));
  const failed = printed.find((each) => !isPrinted(each));
  return failed === undefined ? printed.filter(isPrinted) : (failed as Failure);
}

function list(question: Question): Large<Outcome> {
  const options = asked(question);
  const isListed = options.isReplayable !== true && options.removesProxies !== true;
  const bytesMax = impostersIn(question).reduce((sum, { live }) => sum + HEADER_BYTES + (isListed ? 0 : live.bytes), 0);
  return { bytesMax, make: async () => all(await printAll(question, { ...options, isListed, needsAll: !isListed })) };
}

/** What an imposter has beside its stubs. */
const HEADER_BYTES = 1_024;

function all(printed: Awaited<ReturnType<typeof printAll>>): Outcome {
  return Array.isArray(printed) ? { json: { imposters: printed } } : (printed as Failure);
}

async function make(question: Question): Promise<Outcome> {
  const { parts, call, space, body, base } = question;
  const read = await readImposter(parts, { ownerId: call.caller.ownerId, space }, body);
  if (read instanceof Failure || isRefusal(read)) return read;
  const mock = await baseOf(question);
  if (mock instanceof Failure || isRefusal(mock)) return mock;
  const imposter = await openImposter(question, mock, read);
  if (imposter instanceof Failure || isRefusal(imposter)) return imposter;
  const printed = await printImposter(question, imposter);
  if (printed instanceof Failure || isRefusal(printed)) return printed;
  const location = `\r\nlocation: ${base}/imposters/${imposter.port}`;
  return { status: 201, json: printed, headers: `${location}${approximatedIn(read.stubs)}` };
}

async function baseOf({ parts, call, mock }: Question) {
  const found = mock ?? (await makeBase(parts, call.caller));
  return isRefusal(found) ? found : (unfit(found) ?? found);
}

/** What is not exact is named in a header. */
export function approximatedIn(stubs: readonly NewStub[]): string {
  const codes = new Set(stubs.flatMap(({ approximated }) => approximated));
  return codes.size === 0 ? '' : `\r\nx-switchyard-approximated: ${[...codes].join(', ')}`;
}

/** All are read before any is ended. */
async function replaceAll(question: Question): Promise<Outcome> {
  const { parts, call, space, body } = question;
  const { imposters } = body;
  if (imposters === undefined) return badData("'imposters' is a required field");
  if (!Array.isArray(imposters)) return badData("'imposters' must be an array");
  if (imposters.length > freeSessions(question)) return refuseLimit(`${SESSIONS_PER_MOCK_MAX} sessions per mock`);
  const errors: Failure['errors'][number][] = [];
  const news: NewImposter[] = [];
  const slices = new Slices();
  for (const sent of imposters) {
    if (slices.due()) await slices.next();
    const read = await readImposter(parts, { ownerId: call.caller.ownerId, space }, sent);
    if (isRefusal(read)) return read;
    if (read instanceof Failure) errors.push(...read.errors);
    else news.push(read);
  }
  if (errors.length > 0) return new Failure(400, errors);
  const mock = await baseOf(question);
  if (mock instanceof Failure || isRefusal(mock)) return mock;
  const inSpace = { ...question, mock };
  await endThese(inSpace);
  for (const each of news) {
    const imposter = await openImposter(inSpace, mock, each);
    if (imposter instanceof Failure || isRefusal(imposter)) return imposter;
  }
  const answer = all(await printAll(inSpace, { isListed: true }));
  return 'json' in answer ? { ...answer, headers: approximatedIn(news.flatMap(({ stubs }) => stubs)) } : answer;
}

/** Once those of the space have ended. */
function freeSessions(question: Question): number {
  const { parts, mock } = question;
  const count = mock === undefined ? 0 : parts.sessions.list(mock.id).length;
  return SESSIONS_PER_MOCK_MAX - count + impostersIn(question).length;
}

async function endThese(question: Question): Promise<void> {
  await Promise.all(impostersIn(question).map((imposter) => endImposter(question.parts, imposter)));
}

/** What may be sent again, unless it is asked for otherwise. */
async function endAll(question: Question): Promise<Outcome> {
  const isReplayable = !isFlag(question.query.get('replayable'), 'false');
  const printed = await printAll(question, { ...asked(question), isReplayable });
  await endThese(question);
  return all(printed);
}

async function end(question: Question): Promise<Outcome> {
  const imposter = imposterOf(question);
  if (imposter === undefined) return NOTHING;
  const printed = await printImposter(question, imposter, asked(question));
  await endImposter(question.parts, imposter);
  return answered(printed);
}

const NOTHING: Answer = { json: {} };

function clear(question: Question): Promise<Outcome> {
  return withImposter(question, async (imposter) => {
    const refused = await clearRecorded(question.parts, imposter);
    return refused ?? answered(await printImposter(question, imposter));
  });
}

function nothingToDelete(question: Question): Promise<Outcome> {
  return withImposter(question, async (imposter) => answered(await printImposter(question, imposter)));
}
