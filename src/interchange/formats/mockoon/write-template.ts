/** Templates in the words of Mockoon: variables are data buckets, and repetitions put commas themselves. */
import { callsIn, partsOf } from '../../../languages/templates/template-checks.ts';
import type { Item } from '../../report/report.ts';

/** Helpers of ours that Mockoon lacks, or that print otherwise there. */
const OTHERS: ReadonlySet<string> = new Set(
  `path pathSegment url and or not ne matches math toNumber capitalize capitalizeFirst trim substring
   regexExtract parseDate truncateDate json formatJson jsonRemove jsonArrayAdd jsonSort range
   first last lookup urlEncode hash jwtHeader randomInt randomValue pickRandom requestNumber
   base64Decode slice`.split(/\s+/),
);

export function writtenTemplate(text: string, item: Item): string {
  if (!text.includes('{{')) return text;
  const other = [...callsIn(partsOf(text, 'text'))].find(({ helper }) => OTHERS.has(helper));
  if (other !== undefined) item.note('mockoon-export.template', undefined, other.helper);
  const own = THEIRS.reduce((made, [pattern, name]) => made.replaceAll(pattern, name), withRepeats(text));
  return own.replaceAll(VARIABLE, (_, name: string, path: string | undefined) =>
    path === undefined ? `data '${name}'` : `data '${name}' '${path}'`,
  );
}

/** Helpers of ours that have another name there. */
const THEIRS: readonly (readonly [RegExp, string])[] = [
  [/(?<=[{(])parseJson(?=\s)/g, 'jsonParse'],
  [/(?<=[{(])store(?=\s)/g, 'data'],
  [/(?<=[{(])storeSet(?=\s)/g, 'setData'],
  [/(?<=[{(])global(?=\s)/g, 'getGlobalVar'],
  [/(?<=[{(])globalSet(?=\s)/g, 'setGlobalVar'],
  [/(?<=[{(])randomDecimal(?=[\s)}])/g, 'float'],
  [/(?<=\{)regexExtract \(host\) '\^\[\^:\]\+'(?=\})/g, 'hostname'],
];

const VARIABLE = /(?<=[{(\s#~])variable\s+'([A-Za-z_][\w-]*)(?:\.([^']*))?'/g;
const OWN_COMMAS = /(?<!\s)\s*',\n'(?=\s*~?\}\})/;

/** One with the commas and line breaks that Mockoon puts has none of its own, and no break behind it. */
function withRepeats(text: string): string {
  const open: boolean[] = [];
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: tag, index } of text.matchAll(/\{\{~?#repeat\b[^{}]*\}\}|\{\{~?\/repeat\s*~?\}\}/g)) {
    pieces.push(text.slice(from, index));
    from = index + tag.length;
    if (tag.includes('#')) {
      const isTheirs = OWN_COMMAS.test(tag);
      open.push(isTheirs);
      pieces.push(isTheirs ? tag.replace(OWN_COMMAS, '') : tag.replace(/(?<!\s)\s*(~?\}\})$/, ' comma=false$1'));
      continue;
    }
    pieces.push(tag);
    if (open.pop() === true && text[from] === '\n') from++;
  }
  return [...pieces, text.slice(from)].join('');
}
