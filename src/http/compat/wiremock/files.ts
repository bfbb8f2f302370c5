/** Files of a world, which stubs name by `bodyFileName`. A stub has the bytes that its file has, also after it was changed. */
import { isObject } from '../../../base/json-object.ts';
import { isRefusal, type Refusal } from '../../../errors.ts';
import type { Stub } from '../world.ts';
import { fail, Failure } from './errors.ts';
import type { Answer, Operation, Question } from './question.ts';
import { fileNameOf, readStubs } from './read-stubs.ts';

export const FILES: readonly Operation[] = [
  {
    method: 'GET',
    path: '/files',
    access: 'read',
    answer: ({ world }) => ({ json: [...world.remembered.files.keys()] }),
  },
  { method: 'GET', path: '/files/*', access: 'read', answer: get },
  { method: 'PUT', path: '/files/*', access: 'write', takesBytes: true, answer: put },
  { method: 'DELETE', path: '/files/*', access: 'write', answer: remove },
];

const NAME_CHARS_MAX = 256;

type Outcome = Answer | Failure | Refusal;

function nameOf({ params }: Question): string {
  return params[0] ?? '';
}

function get(question: Question): Outcome {
  const bytes = question.world.remembered.files.get(nameOf(question));
  return bytes === undefined ? missing(question) : { bytes };
}

function missing(question: Question): Failure {
  return fail(404, 'File not found', `no file has the name ${nameOf(question)}`);
}

async function put(question: Question): Promise<Outcome> {
  const { world, bytes = Buffer.alloc(0) } = question;
  const name = nameOf(question);
  if (name === '' || name.length > NAME_CHARS_MAX)
    return fail(422, 'Invalid file name', `a name has 1 to ${NAME_CHARS_MAX} characters`);
  const before = world.remembered.files;
  const kept = await world.setFiles(new Map(before).set(name, bytes));
  if (isRefusal(kept)) return kept;
  const refused = await renew(
    question,
    world.stubs.filter((stub) => usesFile(stub, name)),
  );
  if (refused === undefined) return {};
  await world.setFiles(before);
  return refused;
}

/** Stubs that it is the body of get the new one. */
async function renew(question: Question, stubs: readonly Stub[]): Promise<Failure | Refusal | undefined> {
  if (stubs.length === 0) return undefined;
  const read = await readStubs(
    question,
    stubs.map(({ source }) => source),
  );
  if (read instanceof Failure || isRefusal(read)) return read;
  const published = await question.world.put(read);
  return isRefusal(published) ? published : undefined;
}

function usesFile({ source: { response } }: Stub, name: string): boolean {
  return isObject(response) && fileNameOf(response) === name;
}

/** Its stubs keep the body that they have. */
async function remove(question: Question): Promise<Outcome> {
  const { world } = question;
  const files = new Map(world.remembered.files);
  if (!files.delete(nameOf(question))) return missing(question);
  const kept = await world.setFiles(files);
  return isRefusal(kept) ? kept : {};
}
