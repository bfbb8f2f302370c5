/** Helpers that encode, hash and read tokens. */
import { createHash } from 'node:crypto';
import { asText, isTruthy, plain, type Argument, type Helpers, type MakeHelper } from '../helper.ts';
import { parseJson } from '../../json-text.ts';
import type { TemplateRun } from '../template-run.ts';
import { valueAt } from '../values.ts';

export const ENCODING_HELPERS: Helpers<'base64' | 'base64url' | 'urlEncode' | 'hash' | 'jwtPayload' | 'jwtHeader'> = {
  base64: encoded('base64'),
  base64url: encoded('base64url'),
  urlEncode:
    ([value], { decode }) =>
    (run) => {
      const text = asText(run, value?.evaluate(run));
      if (!run.mayMakeText(3 * text.length)) return undefined;
      try {
        return isOn(run, decode)
          ? decodeURIComponent(text.replaceAll('+', ' '))
          : encodeURIComponent(text.toWellFormed());
      } catch {
        // A malformed escape: as it was sent.
        return text;
      }
    },
  hash: ([value, algorithm], { encoding }) => {
    const name = String(algorithm?.literal?.value ?? 'sha256')
      .toLowerCase()
      .replace('-', '');
    const known = ALGORITHMS.has(name) ? name : 'sha256';
    return (run) => {
      const text = asText(run, value?.evaluate(run));
      if (!run.mayMakeText(text.length + 128)) return undefined;
      const form = encoding === undefined ? 'hex' : asText(run, encoding.evaluate(run));
      return createHash(known)
        .update(text)
        .digest(form === 'base64' || form === 'base64url' ? form : 'hex');
    };
  },
  jwtPayload: plain((run, token, path) => claim(run, token, 1, path)),
  jwtHeader: plain((run, token, path) => claim(run, token, 0, path)),
};

const ALGORITHMS: ReadonlySet<string> = new Set(['md5', 'sha1', 'sha256', 'sha384', 'sha512']);

/** `decode=true` reads it; `padding=false` leaves "=" out. */
function encoded(form: 'base64' | 'base64url'): MakeHelper {
  return ([value], { decode, padding }) =>
    (run) => {
      const text = asText(run, value?.evaluate(run));
      if (!run.mayMakeText(2 * text.length)) return undefined;
      if (isOn(run, decode)) return Buffer.from(text, form).toString('utf8');
      const written = Buffer.from(text, 'utf8').toString(form);
      return padding !== undefined && !isOn(run, padding) ? written.replace(/=+$/, '') : written;
    };
}

function isOn(run: TemplateRun, argument: Argument | undefined): boolean {
  const value = argument?.evaluate(run);
  return value !== 'false' && isTruthy(value);
}

/** A part of a JSON Web Token, with "Bearer " before it or without; its signature is not checked. */
function claim(run: TemplateRun, token: unknown, part: 0 | 1, path: unknown): unknown {
  const text = asText(run, token).replace(/^bearer\s+/i, '');
  if (!run.mayMakeText(text.length)) return undefined;
  const encodedPart = text.split('.', 3)[part];
  if (encodedPart === undefined) return undefined;
  const data = parseJson(Buffer.from(encodedPart, 'base64url').toString('utf8'), run.view)?.value;
  return path === undefined ? data : valueAt(data, asText(run, path).split('.'));
}
