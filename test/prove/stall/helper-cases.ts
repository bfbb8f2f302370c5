/**
 * Every helper of templates, called as often as a rendering allows: with what the table of signatures says it takes, so a new one is in.
 *
 * Its arguments are values that are cheap to make and large: of the body, or of variables that hold each other or the last result.
 */
import { SIGNATURES, type Signature } from '../../../src/languages/templates/signatures.ts';
import { templateProblem, type TemplateMode } from '../../../src/languages/templates/template-checks.ts';
import { MOCK_REQUEST_BYTES_MAX } from '../../../src/limits.ts';
import { define, response, route } from '../../support/mocks.ts';
import { type BODIES, bodyOf, typeOf } from './bodies.ts';
import { chosenOf, radixesOf, type CaseFamily, type Chosen, type StallCase } from './case-family.ts';
import { QUERIES } from './heads.ts';

const HELPERS: ReadonlyMap<string, Signature> = new Map(Object.entries(SIGNATURES));

interface Value {
  /** Tags that make the variable. */
  readonly made?: string;
  /** As an argument has it. */
  readonly text: string;
}

/** A tag that is rendered several times. */
const times = (count: number, tag: string): string => `{{#repeat ${count}}}${tag}{{/repeat}}`;
const members = (count: number, name: string): string =>
  Array.from({ length: count }, (_, at) => `k${at}=${name}`).join(' ');

const PARSED = "{{setVar 'p' (parseJson request.body)}}";
const DEEP = `{{setVar 'd' (object a=1)}}${times(255, "{{setVar 'd' (array d)}}")}`;

const VALUES: readonly Value[] = [
  { text: 'request.body' },
  { text: 'request.query' },
  { text: 'p' },
  // Where a loop has items, each of them.
  { text: 'item', made: "{{setVar 'item' p}}" },
  // The last result of the helper.
  { text: 'q', made: "{{setVar 'q' p}}" },
  { text: 'o', made: `{{setVar 'o' (object)}}${times(30, "{{setVar 'o' (object a=o b=o)}}")}` },
  { text: 'l', made: `{{setVar 'l' (array)}}${times(30, "{{setVar 'l' (array l l)}}")}` },
  { text: 'w', made: `{{setVar 'w' 1}}${times(3, `{{setVar 'w' (object ${members(100, 'w')})}}`)}` },
  { text: 'm', made: `{{setVar 'm' (object ${members(1_000, "'a'")})}}` },
  { text: 'f', made: `{{setVar 'f' (array 1.5 'a' (array))}}${times(11, "{{setVar 'f' (concat f f)}}")}` },
  { text: 'd', made: DEEP },
  { text: 'e', made: `${DEEP}{{setVar 'e' (array d)}}${times(13, "{{setVar 'e' (concat e e)}}")}` },
  { text: 't', made: "{{setVar 't' (padStart 'b' 10000 'a ')}}" },
  { text: 'u', made: "{{setVar 'u' (padStart 'b' 1000000 'a')}}" },
  { text: 'z', made: "{{setVar 'z' (array request.body)}}" },
  { text: 'n', made: "{{setVar 'n' (padStart '.5' 390 '7')}}" },
  { text: 's', made: "{{setVar 's' (padStart '0' 509 '0.')}}" },
  { text: 'y', made: `{{setVar 'y' (concat ${"'1y' ".repeat(50)})}}` },
  { text: 'g', made: "{{setVar 'g' (padStart 'z' 199 'z MMMM')}}" },
  { text: '(object)' },
  { text: 'r', made: "{{setVar 'r' (range 1 1000)}}" },
  { text: '0' },
  { text: '9007199254740991' },
  { text: '1000' },
  { text: "'a'" },
  { text: "'Europe/Berlin'" },
  { text: 'true' },
];

interface Loop {
  readonly mode: TemplateMode;
  readonly around: (call: string) => string;
}

const text = (around: (call: string) => string): Loop => ({ mode: 'text', around });
const LOOPS: readonly Loop[] = [
  text((call) => times(1_000, times(40, `{{setVar 'q' (${call})}}`))),
  text((call) => times(1_000, `{{setVar 'q' (${call})}}`)),
  text((call) => times(1_000, `{{#each p as |item|}}{{setVar 'q' (${call})}}{{/each}}`)),
  text((call) => times(1_000, `{{#each (${call})}}{{/each}}`)),
  text((call) => times(1_000, `{{${call}}}`)),
  text((call) => times(1_000, `{{setVar 'q' (json (${call}) true)}}`)),
  text((call) => times(1_000, times(40, `{{#if (eq (${call}) 'a')}}{{/if}}`))),
  { mode: 'json', around: (call) => `"${times(1_000, `{{${call}}}`)}"` },
];

/** Whole tags that no call of a helper with one of those values is. */
const TAGS = ['{{len (json request.query)}}', '{{#each request.query}}{{@key}}{{/each}}'];

/** What parses to something large, and texts that are slow to read. */
const BODY_SHAPES = [
  'short members',
  'short members',
  'short members',
  'objects of objects',
  'objects of objects',
  'names',
  'an object each',
  'objects',
  'floats',
  'long digits',
  'texts that differ',
  'times',
  'spellings of a time zone',
  'letters',
  'wide letters',
  'quotes in a',
  'escapes',
] as const satisfies readonly (keyof typeof BODIES)[];

const VALUE_INDEXES = [...VALUES.keys()];

const SMALL_BYTES_MAX = 26_000;

const COUNTS = ['fewest', 'most', 'many'] as const;
const NAMED = [0, 1, 2, 3, 4, Infinity];

/** Each digit, and how many choices it has. */
const CHOICES = {
  helper: [...HELPERS.keys(), ...TAGS],
  // Of two values that are the same, a helper finds the most in common.
  alike: [true, true, false],
  first: VALUE_INDEXES,
  second: VALUE_INDEXES,
  third: VALUE_INDEXES,
  count: COUNTS,
  // None, one of them, or all.
  named: NAMED,
  value: VALUE_INDEXES,
  loop: [...LOOPS.keys()],
  bodyShape: BODY_SHAPES,
  // Large ones take longer to make than to answer.
  bodyBytes: [...Array<number>(40).fill(SMALL_BYTES_MAX), 90_000, 90_000, 1_000_000, MOCK_REQUEST_BYTES_MAX],
  query: [...QUERIES.keys()],
} as const;

const MANY = 500;
const MOST = 4;

/** Within what the API takes of a mock, and the mock port of a request. */
function caseOf(digits: readonly number[]): StallCase {
  const chosen = chosenOf(CHOICES, digits);
  const { mode, template } = templateOf(chosen);
  const isRefused = templateProblem(template, mode) !== undefined;
  const templated = mode === 'json' ? 'json' : true;
  return {
    words: `${template.length > 3_000 ? `${template.slice(0, 3_000)}…` : template}, body ${chosen.bodyShape} of ${chosen.bodyBytes} bytes, query ${chosen.query}`,
    definition: define([
      route('POST /p/:id', [isRefused ? response() : response({ templated, body: template })], { id: 'route' }),
    ]),
    request: {
      method: 'POST',
      path: '/p/7',
      query: QUERIES[chosen.query] as string,
      headers: ['content-type', typeOf(chosen.bodyShape)],
      body: bodyOf(chosen.bodyShape, chosen.bodyBytes),
    },
    isSmall: chosen.bodyBytes <= SMALL_BYTES_MAX,
  };
}

function templateOf(chosen: Chosen<typeof CHOICES>): { readonly mode: TemplateMode; readonly template: string } {
  if (TAGS.includes(chosen.helper)) {
    const often = times(1_000, chosen.helper);
    return { mode: 'text', template: chosen.loop === 0 ? times(40, often) : often };
  }
  const { call, made } = callOf(chosen);
  const { mode, around } = LOOPS[chosen.loop] as Loop;
  return { mode, template: made + around(call) };
}

/** @returns The call without its parentheses, and the tags that make what it takes. */
function callOf({ helper, alike, first, second, third, count, named, value }: Chosen<typeof CHOICES>): {
  call: string;
  made: string;
} {
  const { example, count: bounds, named: names, literal = [] } = HELPERS.get(helper) as Signature;
  const used = new Set<string>([PARSED]);
  const textAt = (index: number): string => {
    const { text: own, made } = VALUES[index] as Value;
    if (made !== undefined) used.add(made);
    return own;
  };
  const given = alike ? [first] : [first, second, third];
  const [fewest, most] = bounds;
  const asked = count === 'fewest' ? fewest : count === 'most' ? Math.min(most, MOST) : Math.min(most, MANY);
  const shown = argumentsOf(example);
  const args = Array.from({ length: asked }, (_, at) =>
    literal.includes(at) ? (shown[at] ?? "'a'") : textAt(given[at % given.length] as number),
  );
  const known = names === 'any' ? Array.from({ length: MANY / 5 }, (_, at) => `k${at}`) : (names ?? []);
  const chosen = named === Infinity ? known : named === 0 ? [] : known.slice(named - 1, named);
  const assigned = chosen.length === 0 ? '' : textAt(value);
  return {
    call: [helper, ...args, ...chosen.map((name) => `${name}=${assigned}`)].join(' '),
    made: [...used].join(''),
  };
}

/** Those in order, of an example of the table: texts, calls in parentheses, numbers and paths. */
function argumentsOf(example: string): readonly string[] {
  const words = example.match(/\((?:[^()]|\([^()]*\))*\)|[a-z]+='[^']*'|'[^']*'|\S+/g) ?? [];
  return words.slice(1).filter((word) => !/^\w+=/.test(word));
}

/** Of two values each: what holds much, and a name or a text that is in it. */
const FIRST_VALUES = [
  ['p', 'p'],
  ['p', "'a'"],
  ['w', 'w'],
  ['o', 'o'],
  ['f', "'a'"],
  ['t', 't'],
  ['n', 'n'],
] as const;

/** All that are not given are the first of their choices. */
function digitsOf(choices: Readonly<Record<string, number>>): readonly number[] {
  return Object.keys(CHOICES).map((digit) => choices[digit] ?? 0);
}

/** Each tag with each query that is long. */
const CASES_OF_TAGS = TAGS.flatMap((_, tag) =>
  [...QUERIES.keys()]
    .filter((query) => QUERIES[query] !== '')
    .map((query) => digitsOf({ helper: HELPERS.size + tag, query })),
);

/** Each helper with those values alone: what they find is not left to chance. */
function casesOfHelpers(): readonly (readonly number[])[] {
  const names = [...HELPERS.keys()];
  const indexOf = (name: string): number => VALUES.findIndex(({ text: own }) => own === name);
  return FIRST_VALUES.flatMap(([one, other]) => {
    const [first, second, third, value] = [indexOf(one), indexOf(other), indexOf(other), indexOf(one)];
    return names.map((name, helper) => {
      const named = HELPERS.get(name)?.named === 'any' ? NAMED.indexOf(Infinity) : 0;
      const alike = CHOICES.alike.indexOf(false);
      return digitsOf({ helper, alike, first, second, third, value, count: COUNTS.indexOf('most'), named });
    });
  });
}

export const HELPER_CASES: CaseFamily = {
  radixes: radixesOf(CHOICES),
  first: [...CASES_OF_TAGS, ...casesOfHelpers()],
  sureCount: CASES_OF_TAGS.length,
  caseOf,
  kindOf: (digits) => chosenOf(CHOICES, digits).helper,
};
