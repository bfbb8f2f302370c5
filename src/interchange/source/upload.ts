/**
 * The files that a request carries: its body is one file as it is, or a bundle, `{"files": [{"path", "text" | "base64"}], "entry"?}`.
 *
 * A bundle is recognised by its members alone. Its paths lead nowhere: they only name files to one another.
 */
import { asBase64 } from '../../base/base64.ts';
import { isObject } from '../../base/json-object.ts';
import { IMPORT_FILE_BYTES_MAX, IMPORT_FILES_MAX } from '../../limits.ts';
import type { SourceFile } from './bundle.ts';
import { parseSource, type SourceProblem } from './parse-source.ts';

export interface Upload {
  readonly files: readonly SourceFile[];
  /** The path of the file to begin with; undefined when it is to be found. */
  readonly entry: string | undefined;
}

interface UploadProblem extends SourceProblem {
  /** A JSON pointer into a bundle. */
  readonly at?: string;
}

/** Only such a text is parsed to see whether it is a bundle. */
const BUNDLE_START = /^\ufeff?\s*\{\s*"(?:files|entry)"\s*:/;
const START_BYTES = 256;

/** @returns A problem with the place in the body that it is about. */
export function readUpload(bytes: Buffer): Upload | UploadProblem {
  if (BUNDLE_START.test(bytes.toString('utf8', 0, START_BYTES))) {
    const parsed = parseSource(bytes);
    if ('problem' in parsed) return parsed;
    if (isBundle(parsed.value)) return filesOf(parsed.value);
  }
  if (bytes.length > IMPORT_FILE_BYTES_MAX) return tooLarge('the file');
  return { files: [{ path: '', bytes }], entry: '' };
}

interface RawBundle {
  readonly files: readonly unknown[];
  readonly entry?: unknown;
}

function isBundle(value: unknown): value is RawBundle {
  if (!isObject(value) || !Array.isArray(value.files)) return false;
  return Object.keys(value).every((name) => name === 'files' || name === 'entry');
}

function filesOf({ files: given, entry }: RawBundle): Upload | UploadProblem {
  if (given.length === 0) return { at: '/files', problem: 'the bundle has no files' };
  if (given.length > IMPORT_FILES_MAX) {
    return { at: '/files', problem: `the bundle has more than ${IMPORT_FILES_MAX} files`, isTooLarge: true };
  }
  if (entry !== undefined && typeof entry !== 'string') return { at: '/entry', problem: 'must be the path of a file' };
  const files = new Map<string, SourceFile>();
  for (const [index, each] of given.entries()) {
    const file = fileOf(each);
    if ('problem' in file) return { at: `/files/${index}`, ...file };
    if (files.has(file.path)) return { at: `/files/${index}/path`, problem: 'is the path of an earlier file' };
    files.set(file.path, file);
  }
  return { files: [...files.values()], entry };
}

function fileOf(given: unknown): SourceFile | SourceProblem {
  if (!isObject(given)) return { problem: 'expected {"path", "text"} or {"path", "base64"}' };
  const { path, text, base64, ...others } = given;
  if (typeof path !== 'string') return { problem: '`path` must be a string' };
  const problem = pathProblem(path);
  if (problem !== undefined) return { problem };
  const [other] = Object.keys(others);
  if (other !== undefined) return { problem: `\`${other}\` is unknown; known are path, text, base64` };
  const content = text ?? base64;
  if (typeof content !== 'string' || (text !== undefined && base64 !== undefined)) {
    return { problem: 'exactly one of `text` and `base64` must be given, as a string' };
  }
  if (text === undefined && asBase64(content) === undefined) return { problem: `\`base64\` of ${path} is not base64` };
  const bytes = Buffer.from(content, text === undefined ? 'base64' : 'utf8');
  return bytes.length > IMPORT_FILE_BYTES_MAX ? tooLarge(path) : { path, bytes };
}

const PATH_CHARS_MAX = 1_000;

/** Why a path is not that of a file in a bundle. */
function pathProblem(path: string): string | undefined {
  const isInside =
    path.length <= PATH_CHARS_MAX &&
    !path.includes('\\') &&
    !path.includes('\0') &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  return isInside ? undefined : `${JSON.stringify(path.slice(0, 80))} is not a path in the bundle`;
}

function tooLarge(what: string): SourceProblem {
  return { problem: `${what} has more than ${IMPORT_FILE_BYTES_MAX} bytes`, isTooLarge: true };
}
