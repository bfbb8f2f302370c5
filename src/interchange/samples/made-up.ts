/**
 * Made-up values in the place of sampled ones: the tags of a template, by what the schema and the name of a property say. Whatever is drawn
 * fits the schema; where no helper draws such a value, the sample stays.
 */
import { patternProblem } from '../../languages/linear-pattern.ts';
import type { Leaf } from './leaf.ts';

/** A helper with its arguments, and the shortest and longest text that it makes. */
type DrawnTag = readonly [tag: string, least: number, most: number];

const FORMATS: Readonly<Record<string, DrawnTag>> = {
  'date-time': ["faker 'date.recent' 365", 24, 24],
  date: ["date '2020-01-01' (now) 'yyyy-MM-dd'", 10, 10],
  time: ["date '2020-01-01' (now) 'HH:mm:ssXXX'", 9, 9],
  email: ["faker 'internet.exampleEmail'", 8, 60],
  'idn-email': ["faker 'internet.exampleEmail'", 8, 60],
  uuid: ['uuid', 36, 36],
  guid: ['uuid', 36, 36],
  uri: ["faker 'internet.url'", 10, 80],
  url: ["faker 'internet.url'", 10, 80],
  iri: ["faker 'internet.url'", 10, 80],
  hostname: ["faker 'internet.domainName'", 5, 60],
  'idn-hostname': ["faker 'internet.domainName'", 5, 60],
  ipv4: ["faker 'internet.ipv4'", 7, 15],
  ip: ["faker 'internet.ipv4'", 7, 15],
  ipv6: ["faker 'internet.ipv6'", 39, 39],
  password: ["faker 'internet.password'", 15, 15],
};

/** By the name of the property, without "_" and "-" and in lower case; the first that matches. */
const NAMES: readonly (readonly [RegExp, ...DrawnTag])[] = [
  [/^(first|given)name$/, "faker 'person.firstName'", 2, 30],
  [/^(last|family|sur)name$/, "faker 'person.lastName'", 2, 30],
  [/^(user(name)?|login|nick(name)?)$/, "faker 'internet.username'", 3, 50],
  [/email$/, "faker 'internet.exampleEmail'", 8, 60],
  [/^(company|organi[sz]ation|vendor|brand)(name)?$/, "faker 'company.name'", 3, 80],
  [/^product(name)?$/, "faker 'commerce.productName'", 5, 60],
  [/name$/, "faker 'person.fullName'", 3, 60],
  [/(phone|mobile|fax)(number)?$/, "faker 'phone.number'", 7, 30],
  [/city$/, "faker 'location.city'", 3, 40],
  [/countrycode$/, "faker 'location.countryCode'", 2, 2],
  [/country$/, "faker 'location.country'", 4, 60],
  [/(street|address)$/, "faker 'location.streetAddress'", 5, 60],
  [/(zip|postal)(code)?$/, "faker 'location.zipCode'", 5, 10],
  [/currency(code)?$/, "faker 'finance.currencyCode'", 3, 3],
  [/colou?r$/, "faker 'color.human'", 3, 30],
  [/(ur[il]|link|website|href)$/, "faker 'internet.url'", 10, 80],
  [/(description|summary|comment|message|text|body|note)$/, "faker 'lorem.sentence'", 10, 200],
  [/title$/, "faker 'lorem.words' 3", 8, 60],
  [/(id|uuid|guid)$/, 'uuid', 36, 36],
];
const WORD: DrawnTag = ["faker 'lorem.word'", 2, 20];

/** Values of one list that a tag names. */
const VALUES_MAX = 50;
const LETTERS = 10;

/** @returns A value of JSON with tags; undefined where the sample stays. */
export function madeUp(name: string, { merged, type, values, isStated }: Leaf): string | undefined {
  if (isStated === true) return undefined;
  if (values !== undefined) return oneOf(values);
  if (type === 'boolean') return '{{pickRandom true false}}';
  if (type === 'integer' || type === 'number') return numberOf(name, merged, type === 'integer');
  return type === 'string' ? textOf(name, merged) : undefined;
}

function oneOf(values: readonly unknown[]): string | undefined {
  const written = values.map(literal);
  const isDrawn = values.length > 1 && values.length <= VALUES_MAX && !written.includes(undefined);
  return isDrawn ? `{{pickRandom ${written.join(' ')}}}` : undefined;
}

/** A value as templates write it; undefined for what they have no literal for. */
function literal(value: unknown): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(String(value)) ? String(value) : undefined;
  if (typeof value !== 'string' || /[\\{}\p{Cc}]/u.test(value)) return undefined;
  return value.includes("'") ? (value.includes('"') ? undefined : `"${value}"`) : `'${value}'`;
}

function textOf(name: string, merged: Leaf['merged']): string | undefined {
  const { format, patterns, minLength, maxLength } = merged;
  if (patterns.length > 0) return undefined;
  const fitting = ([tag, least, most]: DrawnTag): string | undefined =>
    minLength <= least && maxLength >= most ? `"{{${tag}}}"` : undefined;
  if (format !== undefined) return FORMATS[format] === undefined ? undefined : fitting(FORMATS[format]);
  const plain = plainName(name);
  const [, ...named] = NAMES.find(([pattern]) => pattern.test(plain)) ?? [/./, ...WORD];
  const count = Math.max(minLength, Math.min(LETTERS, maxLength));
  const letters = count > 0 && count <= 1_000 ? `"{{faker 'string.alpha' ${count}}}"` : undefined;
  return fitting(named) ?? fitting(WORD) ?? letters;
}

function plainName(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** The range of a number without bounds, by name. */
const RANGES: readonly (readonly [RegExp, number, number])[] = [
  [/year$/, 1990, 2030],
  [/age$/, 18, 90],
  [/(count|quantity|stock)$/, 1, 100],
  [/percent(age)?$/, 1, 100],
  [/lat(itude)?$/, -85, 85],
  [/(lng|lon|longitude)$/, -180, 180],
];
const RANGE = 1_000;
const LARGEST = 2 ** 31 - 1;

function numberOf(name: string, merged: Leaf['merged'], isInteger: boolean): string | undefined {
  const { min, max, isMinOpen, isMaxOpen, steps } = merged;
  const [step = 1, ...others] = steps;
  if (others.length > 0 || !Number.isInteger(step) || step <= 0) return undefined;
  const isWhole = isInteger || steps.length > 0;
  const [, usualLeast, usualMost] = RANGES.find(([pattern]) => pattern.test(plainName(name))) ?? [/./, 1, RANGE];
  const isFree = min === -Infinity && max === Infinity;
  const least = isFree ? usualLeast : min === -Infinity ? max - RANGE : min;
  const most = isFree ? usualMost : max === Infinity ? min + RANGE : max;
  // Other numbers have two decimals.
  const unit = isWhole ? step : 1 / DECIMALS;
  const [from, to] = [Math.ceil(least / unit), Math.floor(most / unit)];
  const low = isMinOpen && from * unit <= min ? from + 1 : from;
  const high = isMaxOpen && to * unit >= max ? to - 1 : to;
  if (low >= high || Math.abs(low) > LARGEST || Math.abs(high) > LARGEST) return undefined;
  if (!isWhole) return `{{divide (randomInt ${low} ${high}) ${DECIMALS}}}`;
  return step === 1 ? `{{randomInt ${low} ${high}}}` : `{{multiply (randomInt ${low} ${high}) ${step}}}`;
}

const DECIMALS = 100;

const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/**
 * @param parameter Of the path of the route.
 * @param otherwise What stands there when the value of the path does not fit: a value of JSON with tags.
 * @returns The value of the path, as JSON with tags; undefined where it never fits.
 */
export function pathValue(parameter: string, { merged, type, values }: Leaf, otherwise: string): string | undefined {
  const given = `urlParam '${parameter}'`;
  const { min, max, isMinOpen, isMaxOpen, steps, format, patterns, minLength, maxLength } = merged;
  if (values !== undefined || steps.length > 0) return undefined;
  if (type === 'integer') {
    const number = `parseInt (${given})`;
    const tests = [`matches (${given}) '^(0|-?[1-9][0-9]{0,14})$'`];
    if (min > -Infinity) tests.push(`${isMinOpen ? 'gt' : 'gte'} (${number}) ${min}`);
    if (max < Infinity) tests.push(`${isMaxOpen ? 'lt' : 'lte'} (${number}) ${max}`);
    return `{{#if ${allOf(tests)}}}{{${number}}}{{else}}${otherwise}{{/if}}`;
  }
  const wanted = format === 'uuid' || format === 'guid' ? [UUID, ...patterns] : patterns;
  if (type !== 'string' || (format !== undefined && wanted.length === patterns.length)) return undefined;
  if (wanted.some((pattern) => /['\\]|\{\{|\}\}/.test(pattern) || patternProblem(pattern) !== undefined))
    return undefined;
  const tests = wanted.map((pattern) => `matches (${given}) '${pattern}'`);
  if (minLength > 1) tests.push(`gte (len (${given})) ${minLength}`);
  if (maxLength < Infinity) tests.push(`lte (len (${given})) ${maxLength}`);
  if (tests.length === 0) return `"{{${given}}}"`;
  return `"{{#if ${allOf(tests)}}}{{${given}}}{{else}}${otherwise.slice(1, -1)}{{/if}}"`;
}

function allOf(tests: readonly string[]): string {
  return tests.length === 1 ? `(${tests[0]})` : `(and ${tests.map((test) => `(${test})`).join(' ')})`;
}

/** @param parameters Of the path, in its order. @returns That of which a property of the whole body has the value. */
export function parameterOf(name: string, parameters: readonly PathParameter[]): string | undefined {
  const plain = plainName(name);
  const own = parameters.filter(({ name: each, isLast }) => isLast || plainName(each) !== 'id');
  const last = own.find((each) => each.isLast && plain === 'id' && /(id|uuid|guid)$/.test(plainName(each.name)));
  return (own.find((each) => plainName(each.name) === plain) ?? last)?.name;
}

export interface PathParameter {
  readonly name: string;
  /** Whether it is the last segment: then it names what is answered. */
  readonly isLast: boolean;
}
