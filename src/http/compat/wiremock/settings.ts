/** Settings, health and version. */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { isRefusal, refuseLimit, type Refusal } from '../../../errors.ts';
import { Failure } from './errors.ts';
import type { Answer, Operation, Question } from './question.ts';
import { readStubs } from './read-stubs.ts';
import { reset } from './reset.ts';

/** The release whose interface this is. */
const VERSION = '3.13.2';
/** They are kept and returned. */
const SETTINGS_CHARS_MAX = 65_536;

export const SETTINGS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/settings',
    access: 'read',
    answer: ({ world }) => ({ json: { settings: world.remembered.settings } }),
  },
  { method: 'POST', path: '/settings', access: 'write', answer: (question) => set(question, givenIn(question.body)) },
  { method: 'PUT', path: '/settings', access: 'write', answer: (question) => set(question, givenIn(question.body)) },
  { method: 'PATCH', path: '/settings/extended', access: 'write', answer: extend },
  { method: 'POST', path: '/reset', access: 'write', answer: reset },
  { method: 'GET', path: '/health', access: 'read', answer: () => ({ json: health() }) },
  {
    method: 'GET',
    path: '/version',
    access: 'read',
    answer: () => ({ json: { version: VERSION }, headers: '\r\nx-switchyard: 1' }),
  },
];

type Outcome = Answer | Failure | Refusal;

function health(): object {
  return { status: 'healthy', message: 'Switchyard is ok', version: VERSION, timestamp: new Date().toISOString() };
}

/** Settings may come wrapped in `settings`, as they are returned. */
function givenIn(body: JsonObject): JsonObject {
  return isObject(body.settings) ? body.settings : body;
}

function extend(question: Question): Promise<Outcome> {
  const { settings } = question.world.remembered;
  const before = isObject(settings.extended) ? settings.extended : {};
  const added = isObject(question.body.extended) ? question.body.extended : {};
  return set(question, { ...settings, extended: { ...before, ...added } });
}

/** The delays are those of the importer: a stub that has them alone says what they are here. */
async function set(question: Question, settings: JsonObject): Promise<Outcome> {
  const { world } = question;
  if (JSON.stringify(settings).length > SETTINGS_CHARS_MAX)
    return refuseLimit(`${SETTINGS_CHARS_MAX} characters of settings`);
  const { fixedDelay, delayDistribution } = settings;
  const response = {
    ...(fixedDelay === undefined || fixedDelay === null ? {} : { fixedDelayMilliseconds: fixedDelay }),
    ...(isObject(delayDistribution) ? { delayDistribution } : {}),
  };
  const read = await readStubs(question, [{ request: {}, response }]);
  if (read instanceof Failure || isRefusal(read)) return read;
  const latency = read[0]?.route.responses[0]?.latency ?? 0;
  const published = await world.setLatency(latency);
  if (isRefusal(published)) return published;
  world.remembered.settings = settings;
  return {};
}
