/** The file that a call of `mocks_create` names by its path: read here, below one folder. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { relative, resolve, isAbsolute } from 'node:path';
import { isObject, type JsonObject } from '../../base/json-object.ts';

/** A message with it must not be too large for the server. */
const FILE_BYTES_MAX = 3_000_000;

export class FileError extends Error {}

/** @returns The message with the content of the file in place of its path. @throws FileError when that cannot be read. */
export async function withFile(message: JsonObject, directory: string): Promise<JsonObject> {
  const { params } = message;
  if (message['method'] !== 'tools/call' || !isObject(params) || params['name'] !== 'mocks_create') return message;
  const given = isObject(params['arguments']) ? params['arguments'] : {};
  const { path, ...others } = given;
  if (typeof path !== 'string' || others['content'] !== undefined) return message;
  try {
    const content = await readBelow(directory, path);
    return { ...message, params: { ...params, arguments: { ...others, content } } };
  } catch (error) {
    throw new FileError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

/** Links are followed first: one that leads out of the folder is outside. */
async function readBelow(directory: string, path: string): Promise<string> {
  const file = await realpath(resolve(directory, path));
  const inside = relative(await realpath(directory), file);
  if (inside.startsWith('..') || isAbsolute(inside)) throw new Error('it is not in the folder that the client runs in');
  const { size } = await stat(file);
  if (size > FILE_BYTES_MAX)
    throw new Error(`it has ${size} bytes, more than ${FILE_BYTES_MAX}: use \`switchyard import\``);
  return readFile(file, 'utf8');
}
