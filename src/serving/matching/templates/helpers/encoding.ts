/** Helpers that encode and decode. What cannot be decoded is missing. */
import { createHash } from 'node:crypto';
import { HASH_ALGORITHMS } from '../../../../languages/templates/read-expression.ts';
import { decodePercent } from '../../../../languages/form.ts';
import { parseJson } from '../../../../languages/json-text.ts';
import { asText, isTruthy, plain, type Argument, type Evaluate, type Helpers, type MakeHelper } from '../helper.ts';
import type { TemplateRun } from '../template-run.ts';
import { PATH_CHARS_MAX, stepsWork, valueAt, valueAtPath } from '../values.ts';

export const ENCODING_HELPERS: Helpers<
  'base64' | 'base64Decode' | 'base64url' | 'base64urlDecode' | 'urlEncode' | 'hash' | 'jwtPayload' | 'jwtHeader'
> = {
  base64: base64('base64'),
  base64Decode: plain((run, value) => fromBase64(run, value)),
  base64url: base64('base64url'),
  base64urlDecode: plain((run, value) => fromBase64(run, value)),
  urlEncode,
  hash,
  jwtPayload: plain((run, token, path) => partOfToken(run, token, 1, path)),
  jwtHeader: plain((run, token, path) => partOfToken(run, token, 0, path)),
};

/** A character has at most three bytes. */
const BYTES_PER_CHAR = 3;
/** Work of encoding or decoding a character, in units of RULE_WORK_MAX. */
const CODE_WORK_PER_CHAR = 1;
const URL_WORK_PER_CHAR = 6;

function base64(encoding: 'base64' | 'base64url'): MakeHelper {
  return (args, named) => {
    const value = args[0]?.evaluate ?? (() => undefined);
    const decodes = isSet(named['decode'], false);
    const pads = isSet(named['padding'], encoding === 'base64');
    return (run) => {
      if (decodes(run)) return fromBase64(run, value(run));
      const text = asText(run, value(run));
      run.view.work -= text.length * CODE_WORK_PER_CHAR;
      if (!run.mayMakeText(text.length * BYTES_PER_CHAR * 1.5)) return '';
      return withPadding(Buffer.from(text).toString(encoding), pads(run));
    };
  };
}

/** A named argument that switches something. "false" is what an attribute of a file can say. */
function isSet(argument: Argument | undefined, whenAbsent: boolean): (run: TemplateRun) => boolean {
  if (argument === undefined) return () => whenAbsent;
  return (run) => {
    const value = argument.evaluate(run);
    return value !== 'false' && isTruthy(value);
  };
}

function withPadding(code: string, pads: boolean): string {
  const bare = code.endsWith('=') ? code.slice(0, code.indexOf('=', code.length - 2)) : code;
  return pads ? bare.padEnd(Math.ceil(bare.length / 4) * 4, '=') : bare;
}

/** Takes both alphabets. */
function fromBase64(run: TemplateRun, value: unknown): string {
  const text = asText(run, value);
  run.view.work -= text.length * CODE_WORK_PER_CHAR;
  return run.mayMakeText(text.length) ? Buffer.from(text, 'base64').toString() : '';
}

/** "%20" for a space: it means the same in a query and in a path. Forms have "+", which is decoded as a space too. */
function urlEncode(...[args, named]: Parameters<MakeHelper>): Evaluate {
  const value = args[0]?.evaluate ?? (() => undefined);
  const decodes = isSet(named['decode'], false);
  const isForm = isSet(named['form'], false);
  return (run) => {
    const text = asText(run, value(run));
    run.view.work -= text.length * URL_WORK_PER_CHAR;
    if (decodes(run)) return run.mayMakeText(text.length) ? decodePercent(text, true) : '';
    if (!run.mayMakeText(text.length * BYTES_PER_CHAR * 3)) return '';
    const wellFormed = text.toWellFormed();
    return isForm(run) ? new URLSearchParams({ '': wellFormed }).toString().slice(1) : encodeURIComponent(wellFormed);
  };
}

/** Work of making a hash, and of each of its bytes. In units of RULE_WORK_MAX. */
const HASH_WORK = 500;
const HASH_BYTE_WORK = 0.8;

function hash(...[args, named]: Parameters<MakeHelper>): Evaluate {
  const value = args[0]?.evaluate ?? (() => undefined);
  const wanted = args[1] === undefined ? 'sha256' : args[1].literal?.value;
  const algorithm = HASH_ALGORITHMS.find((name) => name === wanted);
  if (algorithm === undefined) return () => undefined;
  const encodingOf = named['encoding']?.evaluate;
  return (run) => {
    const encoding = encodingOf === undefined ? 'hex' : encodingOf(run);
    const text = asText(run, value(run));
    run.view.work -= HASH_WORK + Buffer.byteLength(text) * HASH_BYTE_WORK;
    if (encoding !== 'hex' && encoding !== 'base64' && encoding !== 'base64url') return undefined;
    return run.mayMakeText(0) ? createHash(algorithm).update(text).digest(encoding) : '';
  };
}

/** Its signature is not looked at. */
function partOfToken(run: TemplateRun, token: unknown, index: 0 | 1, path: unknown): unknown {
  const text = asText(run, token);
  run.view.work -= text.length >> 4;
  const code = bareToken(text).split('.', 2)[index];
  return code === undefined ? undefined : claimAt(run, parseJson(fromBase64(run, code), run.view)?.value, path);
}

/** Without the word before a token in the header `authorization`. */
export function bareToken(text: string): string {
  return text.slice(0, BEARER.length).toLowerCase() === BEARER ? text.slice(BEARER.length).trim() : text;
}

const BEARER = 'bearer ';

/** All claims without a path; with one a claim of that name, else the value at the path: names of claims may be addresses, with dots. */
export function claimAt(run: TemplateRun, claims: unknown, at: unknown): unknown {
  if (at === undefined || claims === undefined) return claims;
  const path = asText(run, at);
  if (path.length > PATH_CHARS_MAX) return undefined;
  run.view.work -= stepsWork([path]);
  const claim = valueAt(claims, [path]);
  return claim === undefined ? valueAtPath(run, claims, path) : claim;
}
