/**
 * WireMock's recorder: while it records, a stub sends every request on that no stub of a better priority takes, and when it stops, stubs are
 * made of the answers. Each session records for itself, and so does the mock.
 */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../base/json-object.ts';
import { isRefusal, type Refusal } from '../../../errors.ts';
import { extractBodies } from '../../../interchange/formats/wiremock/extracted-bodies.ts';
import { recordedStubs, type AnsweredExchange } from '../../../interchange/formats/wiremock/recorded-stubs.ts';
import type { RecordedExchange } from '../../../model/mocks/upstream/recording.ts';
import { inTurn } from '../../api/mocks/recording/whole-recordings.ts';
import type { Stub } from '../world.ts';
import { Failure } from './errors.ts';
import { approximatedIn } from './mappings.ts';
import type { Answer, Operation, Question } from './question.ts';
import { readStubs } from './read-stubs.ts';
import { readSpec, type RecordSpec } from './record-spec.ts';
import { exchangesAfter, filterOf } from './recorded-exchanges.ts';
import { FROM_THE_START, markNow, type RecordingMark } from './recording-state.ts';

export const RECORDINGS: readonly Operation[] = [
  { method: 'GET', path: '/recordings/status', access: 'read', answer: status },
  { method: 'POST', path: '/recordings/start', access: 'write', answer: start },
  { method: 'POST', path: '/recordings/stop', access: 'write', answer: stop },
  { method: 'POST', path: '/recordings/snapshot', access: 'write', answer: snapshot },
];

type Outcome = Answer | Failure | Refusal;

function status({ world }: Question): Answer {
  const { recording } = world.remembered;
  return { json: { status: recording === undefined ? 'NeverStarted' : recording.isActive ? 'Recording' : 'Stopped' } };
}

/** Where it records already, it goes on as it is. */
async function start(question: Question): Promise<Outcome> {
  const { world, body } = question;
  const spec = await specOf(question, body);
  if (spec instanceof Failure || isRefusal(spec)) return spec;
  if (world.remembered.recording?.isActive === true) return {};
  const { targetBaseUrl } = spec;
  const target = { request: { method: 'ANY' }, response: { status: 200, proxyBaseUrl: targetBaseUrl } };
  const stubs = targetBaseUrl === undefined ? [] : await readStubs(question, [target]);
  if (isRefusal(stubs)) return stubs;
  if (stubs instanceof Failure) return new Failure(422, stubs.errors.map(ofTarget));
  const mark = await markNow(question.parts.recordings, question.scoped.mock.id);
  if (isRefusal(mark)) return mark;
  const published = stubs.length === 0 ? true : await world.put(stubs);
  if (isRefusal(published)) return published;
  world.remembered.recording = { isActive: true, spec, mark, stubId: stubs[0]?.id };
  return {};
}

function ofTarget(error: Failure['errors'][number]): Failure['errors'][number] {
  return { ...error, source: { pointer: '/targetBaseUrl' } };
}

/** It has stopped, whatever becomes of what was recorded: `snapshot` takes a part of that. */
async function stop(question: Question): Promise<Outcome> {
  const { world } = question;
  const { recording } = world.remembered;
  if (recording?.isActive !== true) return NOT_RECORDING;
  const isTarget = ({ id }: Stub): boolean => id === recording.stubId;
  const outcome = await record(question, recording.spec, recording.mark, isTarget);
  world.remembered.recording = { ...recording, isActive: false };
  const isDone = !(outcome instanceof Failure || isRefusal(outcome));
  const removed = isDone ? true : await world.remove(isTarget);
  return isRefusal(removed) ? removed : outcome;
}

const NOT_RECORDING = new Failure(400, [{ code: 30, title: 'Not currently recording.' }]);

/** Makes stubs of all that is recorded since a client has cleared the journal. */
async function snapshot(question: Question): Promise<Outcome> {
  const { world, body } = question;
  const spec = await specOf(question, body);
  if (spec instanceof Failure || isRefusal(spec)) return spec;
  return record(question, spec, world.remembered.recordedSince ?? FROM_THE_START, () => false);
}

/** @returns It, where its filters can be judged. */
async function specOf(question: Question, body: JsonObject): Promise<RecordSpec | Failure | Refusal> {
  const spec = readSpec(body);
  if (spec instanceof Failure || spec.filters === undefined) return spec;
  const filter = await filterOf(question, spec.filters);
  return filter instanceof Failure || isRefusal(filter) ? filter : spec;
}

/** @param isRemoved Stubs that go in the same change. */
async function record(
  question: Question,
  spec: RecordSpec,
  mark: RecordingMark,
  isRemoved: (stub: Stub) => boolean,
): Promise<Outcome> {
  const { world } = question;
  const { files } = world.remembered;
  const stubs = await putRecorded(question, spec, mark, isRemoved);
  if (stubs instanceof Failure || isRefusal(stubs)) {
    // What was added is of stubs that are not there.
    if (world.remembered.files !== files) await world.setFiles(files);
    return stubs;
  }
  const json = spec.onlyIds ? { ids: stubs.map(({ id }) => id) } : { mappings: stubs.map(({ source }) => source) };
  return { json, ...approximatedIn(stubs) };
}

async function putRecorded(
  question: Question,
  spec: RecordSpec,
  mark: RecordingMark,
  isRemoved: (stub: Stub) => boolean,
): ReturnType<typeof readStubs> {
  const { world, call } = question;
  const stubs = await inTurn(call.caller.ownerId, () => stubsOf(question, spec, mark));
  if (stubs instanceof Failure || isRefusal(stubs)) return stubs;
  const isChange = stubs.length > 0 || world.stubs.some(isRemoved);
  const published = isChange ? await world.put(stubs, isRemoved) : true;
  return isRefusal(published) ? published : stubs;
}

async function stubsOf(question: Question, spec: RecordSpec, mark: RecordingMark): ReturnType<typeof readStubs> {
  const all = await exchangesAfter(question, mark);
  if (all instanceof Failure || isRefusal(all)) return all;
  const filter = spec.filters === undefined ? undefined : await filterOf(question, spec.filters);
  if (filter instanceof Failure || isRefusal(filter)) return filter;
  const wanted = filter === undefined ? all : await filter(all);
  if (wanted instanceof Failure || isRefusal(wanted)) return wanted;
  const omitted = wanted.flatMap(omission);
  if (omitted.length > 0) return new Failure(422, omitted);
  const { world } = question;
  const { stubs, files } = extractBodies(recordedStubs(wanted, spec, randomUUID), spec.extract);
  const kept = files.size === 0 ? true : await world.setFiles(new Map([...world.remembered.files, ...files]));
  if (isRefusal(kept)) return kept;
  const read = await readStubs(question, stubs, (index) => `/mappings/${index}`);
  if (!(read instanceof Failure)) return read;
  return new Failure(
    read.status,
    read.errors.map((error) => withRequest(error, stubs)),
  );
}

/** The client has not seen the stubs. */
function withRequest(error: Failure['errors'][number], stubs: readonly JsonObject[]): Failure['errors'][number] {
  const [, , index = ''] = error.source?.pointer.split('/') ?? [];
  const { method, url, urlPath, urlPathPattern } = (stubs[Number(index)]?.request ?? {}) as Record<string, string>;
  const detail = `${method} ${url ?? urlPath ?? urlPathPattern}: ${error.detail ?? error.title}. ${INSTEAD}`;
  return { ...error, detail };
}

function omission({ method, path, request, response }: AnsweredExchange): Failure['errors'] {
  const why = request.bodyOmitted ?? response.bodyOmitted;
  return why === undefined
    ? []
    : [{ code: 60, title: 'A body is not recorded', detail: `${method} ${path}: ${OMITTED[why]}. ${INSTEAD}` }];
}

const OMITTED: Readonly<Record<NonNullable<RecordedExchange['request']['bodyOmitted']>, string>> = {
  tooLarge: 'it is larger than 1 MB',
  cut: 'it was not received to its end',
  undecodable: 'its encoding or charset is not supported',
  busy: 'too many exchanges were waiting',
};
const INSTEAD = 'Create stubs from the others with POST /recordings/snapshot and `filters`';
