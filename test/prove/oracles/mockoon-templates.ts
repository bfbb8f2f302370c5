/** Templates of Mockoon: values, helpers and blocks of its documents, at random. */
import type { Random } from '../../../src/base/seeded-draw.ts';
import { chance, pick } from './oracle.ts';

export const PATHS = [
  'a',
  'b',
  'b.0',
  'o',
  'o.k',
  's',
  'n',
  't',
  'none',
  'items',
  'items.0.v',
  '$.a',
  '$.b',
  '$.items[*].v',
  '$.b[0]',
  'b.length',
  'f',
];
export const QUERY_PATHS = ['q', 'page', 'tags', 'tags.0', 'f.n', 'f', 'none', 'q.0', '$.q', 'q.1'];
const text = (value: string): string => `'${value}'`;

/** A value that a tag may have. */
export function read(random: Random): string {
  const fallback = chance(random, 0.3) ? " 'none'" : '';
  return pick(random, [
    () => `body ${text(pick(random, PATHS))}${fallback}`,
    () => `body ${text(pick(random, PATHS))}${fallback}`,
    () => `bodyRaw ${text(pick(random, PATHS))}${fallback}`,
    () => `queryParam ${text(pick(random, QUERY_PATHS))}${fallback}`,
    () => `queryParam ${text(pick(random, QUERY_PATHS))}${fallback}`,
    () => `queryParamRaw ${text(pick(random, QUERY_PATHS))}${fallback}`,
    () => `urlParam 'id'`,
    () => `header 'x-a'${fallback}`,
    () => `cookie 'c'${fallback}`,
    () => 'method',
    () => pick(random, ['body', 'bodyRaw', 'queryParam', 'hostname', 'urlParams', 'queryParams', "header 'X-None'"]),
    () =>
      `data ${pick(random, ["'blist'", "'bobj' 'a'", "'bobj'", "'blist' '0.n'", "'bobj' 'none'", "'btext'", "'bobj' 'z'"])}`,
    () => `dataRaw ${pick(random, ["'bobj' 'a'", "'blist' '1.t'", "'bobj' 'l'"])}`,
  ])();
}

const LISTS = [
  'array 1 2 3',
  "array 'a' 'b'",
  "bodyRaw 'b'",
  "bodyRaw 'items'",
  "dataRaw 'blist'",
  "split 'a,b' ','",
  "dataRaw 'bobj' 'l'",
];
const OBJECTS = ["object a=1 b='x'", "bodyRaw 'o'", "dataRaw 'bobj'", "object k='v'"];
const TEXTS = ["'Some Text'", "body 's'", "queryParam 'q'", "header 'x-a'", "bodyRaw 's'", "'a-b-a'"];
const NUMBERS = ['3', '2.5', "body 'a'", "bodyRaw 'a'", "queryParam 'q'", "'7'", '-1'];

function inner(random: Random, all: readonly string[]): string {
  const own = pick(random, all);
  return /^(?:'|-?\d)/.test(own) ? own : `(${own})`;
}

function helper(random: Random): string {
  const [list, object, string, number, other] = [
    inner(random, LISTS),
    inner(random, OBJECTS),
    inner(random, TEXTS),
    inner(random, NUMBERS),
    inner(random, NUMBERS),
  ];
  return pick(random, [
    `add ${number} ${other}`,
    `subtract ${number} ${other}`,
    `multiply ${number} ${other}`,
    `divide 10 4`,
    `modulo ${number} 2`,
    `ceil ${number}`,
    `floor ${number}`,
    `round ${number}`,
    `toFixed ${number} 2`,
    `eq ${number} ${other}`,
    `eq ${string} 'x'`,
    `eq (queryParam 'q') '1'`,
    `gt ${number} ${other}`,
    `lte ${number} 2`,
    `includes ${string} 'e'`,
    `concat ${string} '-' ${number}`,
    `concat ${list} ${list}`,
    `uppercase ${string}`,
    `lowercase ${string}`,
    `replace ${string} 'a' 'o'`,
    `replaceAll ${string} 'a' 'o'`,
    `substr ${string} 0 2`,
    `indexOf ${string} 'e'`,
    `padStart ${number} 4 '0'`,
    `padEnd ${string} 8 '.'`,
    `parseInt ${string}`,
    `split ${string} ' '`,
    `join ${list} '-'`,
    `join ${list}`,
    `len ${list}`,
    `len ${string}`,
    `slice ${list} 1`,
    `sort ${list} 'desc'`,
    `sortBy (dataRaw 'blist') 'n' 'desc'`,
    `reverse ${list}`,
    `join (reverse ${list}) ','`,
    `filter ${list} 1`,
    `stringify (filter (dataRaw 'blist') (object n=2))`,
    `stringify (find (dataRaw 'blist') (object t='a'))`,
    `objectPath (find (dataRaw 'blist') (object n=2)) 't'`,
    `objectPath ${object} 'a'`,
    `objectPath ${object} 'none' 'def'`,
    `objectPath ${object} 'k' 'def'`,
    `jsonPath ${object} '$.a'`,
    `jsonPath (dataRaw 'blist') '$[*].n'`,
    `jsonPath ${object} '$.none' 'def'`,
    `objectMerge ${object} (object c=1)`,
    `stringify (objectMerge ${object} (object c=1))`,
    `lookup ${object} 'a'`,
    `lookup ${list} 0`,
    `stringify ${list}`,
    `stringify ${object}`,
    `jsonParse '{"a":1}'`,
    `objectPath (jsonParse (body)) 'a'`,
    `isValidDate '2024-02-30'`,
    `isValidDate '2024-02-28'`,
    `isValidDate ${string}`,
    `dateFormat '2024-03-31T10:11:12Z' ${pick(random, ["'yyyy-MM-dd'", "'dd/MM/yy HH:mm'", "'EEEE d MMMM'", "'yyyy-MM-dd\\'T\\'HH'"].slice(0, 3))}`,
    `dateTimeShift date='2024-01-31T10:00:00.000Z' months=${pick(random, ['1', '-2', '13'])}`,
    `dateTimeShift date='2024-02-29' format='yyyy-MM-dd' years=${pick(random, ['1', '4'])} days=${pick(random, ['1', '0'])}`,
    `dateTimeShift date='2024-12-31' format='yyyy-MM-dd' days=31 months=2`,
    `dateTimeShift date='2024-02-29' format='yyyy-MM-dd HH' years=1 months=12 hours=30`,
    `base64 ${string}`,
    `base64Decode 'YWJj'`,
    `faker 'helpers.arrayElement' (array 'red' 'red')`,
    `faker 'helpers.arrayElements' (array 1 2) 0`,
    `len (faker 'helpers.shuffle' (array 1 2))`,
    `faker 'string.numeric' 0`,
    `int 3 3`,
    `oneOf (array 'a' 'a')`,
    `oneOf 'b' 'b'`,
    `someOf (array 1 1) 2 2`,
    `getVar 'none'`,
    `getEnvVar 'NONE' 'unset'`,
    `getGlobalVar 'none'`,
    `jmesPath ${object} 'a'`,
    `newline`,
    `array 1 'a'`,
    `object a=1`,
  ]);
}

function tag(random: Random): string {
  const [open, close] = chance(random, 0.3) ? ['{{{', '}}}'] : ['{{', '}}'];
  const [value, list, object] = [
    () => (chance(random, 0.6) ? read(random) : helper(random)),
    inner(random, LISTS),
    inner(random, OBJECTS),
  ];
  if (chance(random, 0.65)) return `${open}${value()}${close}`;
  return pick(random, [
    `{{#if (${read(random)})}}yes{{else}}no{{/if}}`,
    `{{#if (eq (body 'a') '1')}}one{{else if (eq (queryParam 'q') '1')}}two{{else}}other{{/if}}`,
    `{{#unless (${read(random)})}}no{{/unless}}`,
    `{{#each ${list}}}{{this}};{{/each}}`,
    `{{#each ${list}}}{{@index}}{{#unless @last}},{{/unless}}{{/each}}`,
    `{{#each (dataRaw 'blist')}}{{n}}{{this.t}}{{/each}}`,
    `{{#each (dataRaw 'bpath')}}{{path}}{{host}}{{upper}}{{/each}}`,
    `{{#each ${object}}}{{@key}}={{this}};{{/each}}`,
    `{{#each (body 'items')}}{{k}}{{/each}}`,
    `{{#each (queryParamRaw 'tags')}}{{this}};{{/each}}`,
    `{{#each (queryParams)}}{{@key}}:{{this}};{{/each}}`,
    `{{#with ${object}}}{{a}}{{/with}}`,
    `{{#repeat 2}}{"i":{{@index}} }{{/repeat}}`,
    `{{#repeat 3 comma=false}}{{@index}}/{{@total}} {{/repeat}}`,
    `{{#repeat (len ${list})}}x{{/repeat}}`,
    `{{setVar 'v' (${read(random)})}}[{{@v}}][{{getVar 'v'}}]`,
    `{{setVar 'w' ${list}}}{{#each @w}}{{this}};{{/each}}`,
    `{{setVar 'x' (array 1 2)}}{{#each x}}{{this}};{{/each}}`,
    `{{#switch (${read(random)})}}{{#case '1'}}A{{/case}}{{#case 'x'}}B{{/case}}{{#default}}D{{/default}}{{/switch}}`,
    `{{#switch (bodyRaw 'a')}}{{#case 1}}A{{/case}}{{#default}}D{{/default}}{{/switch}}`,
    `{{~ method ~}} `,
    `{{! note }}{{!-- note --}}`,
    `{{status 418}}`,
    `{{#if (eq (queryParam 'q') '1')}}{{status 404}}{{/if}}`,
  ]);
}

export function templateText(random: Random): string {
  const count = 1 + Math.floor(random() * 2);
  const tags = Array.from({ length: count }, () => tag(random));
  return chance(random, 0.3) ? `{"v":"${tags.join('","w":"')}"}` : tags.join(' | ');
}
