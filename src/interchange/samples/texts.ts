/**
 * A text for a schema: by its format from a fixed table, by its pattern, else a plain word, as long as the bounds ask.
 */
import type { MergedSchema } from './leaf.ts';
import { readPattern } from './pattern-text.ts';
import { Cut, TOO_LARGE, type SampleRun } from './run.ts';

/** Texts of each format, the usual one first; others for bounds of length that it does not fit. */
const FORMATS: ReadonlyMap<string, readonly string[]> = new Map([
  ['date-time', ['2024-01-15T09:30:00Z', '2024-01-15T09:30:00.000Z']],
  ['date', ['2024-01-15']],
  ['time', ['09:30:00Z', '09:30:00.000Z']],
  ['duration', ['P3D']],
  ['email', ['user@example.com', 'a@b.co']],
  ['idn-email', ['user@example.com', 'a@b.co']],
  ['uuid', ['7b5c3f1e-8d2a-4c69-9f10-2a6b4d8e0c35']],
  ['guid', ['7b5c3f1e-8d2a-4c69-9f10-2a6b4d8e0c35']],
  ['uri', ['https://example.com', 'https://example.com/', 'a:b']],
  ['url', ['https://example.com', 'http://a.co']],
  ['iri', ['https://example.com', 'a:b']],
  ['uri-reference', ['/path', '/']],
  ['iri-reference', ['/path', '/']],
  ['uri-template', ['/items/{id}', '/']],
  ['hostname', ['example.com', 'a']],
  ['idn-hostname', ['example.com', 'a']],
  ['ipv4', ['192.0.2.1']],
  ['ip', ['192.0.2.1']],
  ['ipv6', ['2001:db8::1', '::1']],
  ['byte', ['dGV4dA==', 'dGV4dHRleHQ=', '']],
  ['base64', ['dGV4dA==', '']],
  ['json-pointer', ['/name', '']],
  ['relative-json-pointer', ['0']],
  ['regex', ['^a$', 'a']],
  ['password', ['password']],
  ['binary', ['binary']],
  ['int32', ['0']],
  ['int64', ['0']],
  ['decimal', ['0.0']],
  ['double', ['0.0']],
  ['float', ['0.0']],
]);
/** Formats that any text has. */
const FREE = new Set(['password', 'binary']);

const WORD = 'string';

/** @returns A cut when it would be too large. A text that does not fit is returned with its reason noted. */
export function sampleText(run: SampleRun, merged: MergedSchema): string | Cut {
  const { minLength, maxLength, patterns } = merged;
  if (minLength > maxLength) return new Cut('no string has the length that the schema requires', true);
  if (!run.take(minLength, 0)) return TOO_LARGE;
  const texts = FORMATS.get(merged.format ?? '')?.map((text) => varied(text, merged.format, run.variant));
  const [word = WORD] = texts !== undefined && FREE.has(merged.format as string) ? texts : [];
  const found = (texts ?? []).find((text) => fitsLength(text, merged));
  if (patterns.length === 0) {
    if (texts !== undefined && found === undefined && word === WORD) {
      const longer = lengthened(texts[0] as string, merged);
      if (longer !== undefined) return longer;
      run.note(new Cut(`no known string has the format ${merged.format} and this length`));
    }
    return found ?? sized(word, minLength, maxLength, run.variant);
  }
  return patternText(run, merged, found ?? sized(word, minLength, maxLength, run.variant));
}

function fitsLength(text: string, { minLength, maxLength }: MergedSchema): boolean {
  return text.length >= minLength && text.length <= maxLength;
}

/** Texts of formats that differ, for lists whose items must. */
function varied(text: string, format: string | undefined, variant: number): string {
  if (variant === 0) return text;
  if (/^(date|time)/.test(format ?? ''))
    return text.replace(/15|30/, (digits) => String(Number(digits) - (variant % 14)).padStart(2, '0'));
  if (/uuid|guid|ip/.test(format ?? ''))
    return text.slice(0, -1) + String((variant + Number.parseInt(text.at(-1) as string, 16)) % 10);
  if (/email/.test(format ?? '')) return `${variant}${text}`;
  if (/ur[il]|iri|pointer/.test(format ?? '')) return `${text}/${variant}`;
  if (/hostname/.test(format ?? '')) return `a${variant}.${text}`;
  return text;
}

/** A longer text of a format that allows it. */
function lengthened(text: string, { format, minLength, maxLength }: MergedSchema): string | undefined {
  const missing = minLength - text.length;
  if (missing <= 0) return undefined;
  const fill = 'a'.repeat(missing);
  if (/email/.test(format ?? '') && missing < 48) return fill + text;
  if (/ur[il]|iri/.test(format ?? '')) return fits(`${text}/${fill.slice(1)}`);
  if (/hostname/.test(format ?? '') && missing > 1 && missing < 60) return `${fill.slice(1)}.${text}`;
  if (/byte|base64/.test(format ?? '')) return fits('dGV4'.repeat(Math.ceil(minLength / 4)));
  return undefined;

  function fits(longer: string): string | undefined {
    return longer.length <= maxLength ? longer : undefined;
  }
}

function sized(word: string, minLength: number, maxLength: number, variant: number): string {
  const end = variant === 0 ? '' : String(variant);
  const stem = Math.max(0, Math.min(Math.max(minLength, word.length + end.length), maxLength) - end.length);
  return word.repeat(Math.ceil(stem / word.length)).slice(0, stem) + end;
}

/** How often repetitions are taken beyond their least, until the text is long enough and matches. */
const EXTRAS = [0, 1, 2, 3, 5, 7, 9, 11, 15, 19, 23, 31, 39, 63];

function patternText(run: SampleRun, merged: MergedSchema, plain: string): string {
  const compiled = merged.patterns.map((pattern) => run.pattern(pattern));
  const matches = (text: string): boolean =>
    compiled.every(
      (each) => each !== undefined && run.step(Math.ceil((text.length * each.workPerChar) / 50)) && each.test(text),
    );
  if (matches(plain)) return plain;
  const { minLength, maxLength } = merged;
  const lengths = [...EXTRAS, minLength, Math.max(minLength - 1, 0), Math.max(minLength - 2, 0)];
  for (const pattern of merged.patterns) {
    const write = readPattern(pattern);
    if (write === undefined || compiled.includes(undefined)) continue;
    let extraMax = Infinity;
    for (const extra of lengths) {
      if (extra > extraMax || !run.step(20)) continue;
      const text = write(extra, run.variant);
      if (text === undefined) {
        run.step(500);
        extraMax = extra - 1;
        continue;
      }
      run.step(Math.ceil(text.length / 10));
      if (text !== '' && fitsLength(text, merged) && matches(text)) return text;
      const padded = text.length < minLength ? sized(text || WORD, minLength, maxLength, 0) : text;
      if (padded.length <= maxLength && matches(padded)) return padded;
    }
  }
  if (minLength === 0 && matches('')) return '';
  run.note(new Cut(`no known string matches the pattern ${(merged.patterns[0] as string).slice(0, 100)}`));
  return plain;
}
