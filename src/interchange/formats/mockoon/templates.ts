/** Templates of Mockoon in the words of ours: most helpers have the same names, some are others, and a repetition puts commas itself. */
import { hasTags, templateProblem, unknownHelpers } from '../../../languages/templates/template-checks.ts';
import type { Buckets } from './buckets.ts';

interface ReadTemplate {
  readonly text: string;
  readonly templated: boolean;
  /** The first part that is not understood. */
  readonly problem?: string | undefined;
}

/** @param text Of a body or a header's value. */
export function readTemplate(text: string, buckets: Buckets): ReadTemplate {
  if (!text.includes('{{')) return { text, templated: false };
  const own = withCommas(text).replaceAll(TAG, (tag) => tagOf(tag, buckets));
  const problem = templateProblem(own, 'text');
  if (problem !== undefined) return { text: own, templated: false, problem };
  const [unknown] = unknownHelpers(own);
  return { text: own, templated: hasTags(own), problem: unknown };
}

const TAG = /\{\{[^{}]*\}\}/g;

/** Helpers that are functions of faker under names of their own. */
const MADE_UP: Readonly<Record<string, string>> = {
  boolean: 'datatype.boolean',
  city: 'location.city',
  color: 'color.human',
  company: 'company.name',
  country: 'location.country',
  countryCode: 'location.countryCode',
  domain: 'internet.domainName',
  email: 'internet.email',
  firstName: 'person.firstName',
  hexColor: 'color.rgb',
  ipv4: 'internet.ipv4',
  ipv6: 'internet.ipv6',
  lastName: 'person.lastName',
  lat: 'location.latitude',
  long: 'location.longitude',
  lorem: 'lorem.sentence',
  objectId: 'database.mongodbObjectId',
  phone: 'phone.number',
  postcode: 'location.zipCode',
  street: 'location.streetAddress',
  title: 'person.prefix',
  tld: 'internet.domainSuffix',
  zipcode: 'location.zipCode',
};

/** Where a helper is called. */
const CALL = /(\{\{~?\s*|\(\s*)([A-Za-z]\w*)(?=[\s)}~])/g;
const DATA = /(\{\{~?\s*|\(\s*)data(?:Raw)?\s+(['"])([^'"]*)\2(?:\s+(['"])([^'"]*)\4)?(?=[\s)}~])/g;
/** Quoted names within a block's tag count, too. */
const BLOCK_DATA = /(\{\{~?#\w+\s+)data(?:Raw)?\s+(['"])([^'"]*)\2/g;

function tagOf(tag: string, buckets: Buckets): string {
  return tag
    .replaceAll(BLOCK_DATA, '$1(data $2$3$2)')
    .replaceAll(DATA, (whole, before: string, _quote, name: string, _other, path: string | undefined) => {
      const bucket = buckets.named(name);
      if (bucket === undefined || !buckets.use(bucket)) return whole;
      return `${before}variable '${bucket.name}${path === undefined || path === '' ? '' : `.${path}`}'`;
    })
    .replaceAll(CALL, (whole, before: string, name: string) => {
      if (name === 'float') return `${before}randomDecimal`;
      return Object.hasOwn(MADE_UP, name) ? `${before}faker '${MADE_UP[name]}'` : whole;
    });
}

const REPEAT = /\{\{~?#repeat\b[^{}]*\}\}|\{\{~?\/repeat\s*~?\}\}/g;
const COMMA = /\s*\bcomma\s*=\s*(true|false)\b/;

/** Mockoon ends each repetition with a comma, unless an option turns that off or there is one, and with a line break; the last one without comma. */
function withCommas(text: string): string {
  const open: boolean[] = [];
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: tag, index } of text.matchAll(REPEAT)) {
    const before = text.slice(from, index);
    from = index + tag.length;
    if (tag.includes('#')) {
      const isCommaed = COMMA.exec(tag)?.[1] !== 'false';
      open.push(isCommaed);
      const plain = tag.replace(COMMA, '');
      pieces.push(before, isCommaed ? plain.replace(/\s*(~?\}\})$/, ` ',\n'$1`) : plain);
    } else if (open.pop() === true) pieces.push(before.replace(/\s*,?\s*$/, ''), tag, '\n');
    else pieces.push(before, tag);
  }
  return [...pieces, text.slice(from)].join('');
}
