/** Templates in the words of WireMock. */
import { callsIn, partsOf } from '../../../languages/templates/template-checks.ts';
import type { Item } from '../../report/report.ts';

/** Parts of the request are paths there; other helpers have the names that ours were given after. */
export function writtenTemplate(text: string, item: Item): string {
  const own = text
    .replaceAll(/(?<=[{(\s])urlParam\s+'([\w-]+)'(?=[\s)}])/g, 'request.path.$1')
    .replaceAll(/(?<=[{(\s])queryParam\s+'([\w-]+)'(?=[)}])/g, 'request.query.$1')
    .replaceAll(/(?<=[{(\s])header\s+'([\w-]+)'(?=[)}])/g, 'request.headers.$1')
    .replaceAll(/(?<=[{(\s])cookie\s+'([\w-]+)'(?=[)}])/g, 'request.cookies.$1')
    .replaceAll(/(?<=\{)body\s+'([\w.-]+)'(?=\})/g, "jsonPath request.body '$$.$1'")
    .replaceAll(/(?<=\{)(method|url|host|baseUrl|clientIp|path)(?=\})/g, 'request.$1')
    .replaceAll(/(?<=[{(\s])request\.params\./g, 'request.path.')
    .replaceAll(/(?<=\{\{)setVar '(\w+)' \(parseJson ([^{}()]+)\)(?=\}\})/g, "parseJson $2 '$1'")
    .replaceAll(/(?<=[{(])replaceAll(?=\s)/g, 'replace')
    .replaceAll(/\{[^{}]*\}/g, (tag) => tag.replaceAll(OURS_ALONE, ''));
  const other = [...callsIn(partsOf(own, 'text'))].find(({ helper }) => !THEIRS.has(helper));
  if (other !== undefined) item.note('wiremock-export.template', undefined, other.helper);
  return own;
}

/** What makes helpers answer as WireMock's do anyway. */
const OURS_ALONE = / (?:list|form)=true/g;

/** Helpers that WireMock has, by the same name. */
const THEIRS: ReadonlySet<string> = new Set(
  `jsonPath now randomValue randomInt randomDecimal math trim base64 urlEncode date parseDate
   truncateDate parseJson formatJson jsonMerge jsonRemove jsonArrayAdd jsonSort regexExtract pickRandom
   range array contains matches eq len ne gt gte lt lte and or not replace substring lower upper join capitalize lookup assign val`.split(
    /\s+/,
  ),
);
