/**
 * Random example values for templates, by @faker-js/faker.
 *
 * Loading its English data takes a tenth of a second and some megabytes: only a thread that serves a template with
 * `faker` loads it. One instance serves all templates of a thread, and takes its draws and its time from the one that is rendered:
 * a seed costs it nothing.
 */
import { isObject } from '../../../base/json-object.ts';
import { readFileSync } from 'node:fs';
import type { Faker, LocaleDefinition } from '@faker-js/faker';
import { FAKER_FOLDER, loadPackage } from '../../../base/program-files.ts';
import { acceptedLocales, fakerLocale } from '../../../languages/templates/faker-locales.ts';
import { BY_REQUEST, type FakerSetting } from '../../../model/mocks/definition/faker-schema.ts';
import type { Random } from '../../../base/seeded-draw.ts';
import { fakerName } from '../../../languages/templates/faker-modules.ts';
import { asText, type Argument, type Evaluate, type MakeHelper } from './helper.ts';
import type { TemplateRun } from './template-run.ts';
import { namesOf, take, type WorkBudget } from '../../../languages/work-budget.ts';

type FakerModule = Readonly<Record<string, unknown>>;
type FakerFunction = (...args: unknown[]) => unknown;

/** By the locales in which values are looked for, separated by spaces; "" for English alone. */
const loaded = new Map<string, FakerModule>();
const LOADED_MAX = 32;
/** Words by locale: 12 MB for all of them, so that nobody's are dropped for another's. */
const words = new Map<string, LocaleDefinition>();
/** Work of making one, and of reading the words of a locale for the first time, where only a request names them. */
const MADE_WORK = 30_000;
const WORDS_WORK = 120_000;
/** The draws of the template that is rendered. */
let current: Random = Math.random;
let now = 0;
/** The budget of the call that runs. */
let drawsLeft = 0;

/** Additional steps: a call takes as long as ten other steps. */
const FAKER_STEPS = 9;
/** Work of a call, and of a call of a slow function. In units of RULE_WORK_MAX. */
const FAKER_WORK = 1_500;
const SLOW_FAKER_WORK = 5_000;
const SLOW_FAKERS: ReadonlySet<string> = new Set([
  'finance.transactionDescription',
  'git.commitEntry',
  'internet.jwt',
  'location.postalAddress',
  'string.nanoid',
  'system.fileExt',
  'system.fileName',
  'system.filePath',
]);

/** `faker 'module.function'`, its arguments in order, and `name=value` ones as one object behind them. */
export const fakerHelper: MakeHelper = ([first, ...args], named) => {
  const given = String(first?.literal?.value ?? '');
  const name = fakerName(given);
  const make = name === undefined ? undefined : functionOf(name);
  // An unknown function stays text.
  if (make === undefined || name === undefined) return () => `{{faker '${given}'}}`;
  const work = SLOW_FAKERS.has(name) ? SLOW_FAKER_WORK : FAKER_WORK;
  const { locale, ...others } = named;
  const options = Object.entries(others);
  const fixed = literalsOf(args, options);
  const argumentsOf: (run: TemplateRun) => readonly unknown[] =
    fixed === undefined
      ? (run) =>
          callArguments(
            name,
            run.view,
            args.map(({ evaluate }) => evaluate(run)),
            options.map(([option, { evaluate }]) => [option, evaluate(run)]),
          )
      : always(callArguments(name, { work: 0 }, ...fixed));
  const own = locale?.literal === undefined ? undefined : localesNamed(String(locale.literal.value));
  // It is loaded where the mock is compiled.
  if (own !== undefined) functionOf(name, own);
  const makeFor = (run: TemplateRun): FakerFunction => {
    const { faker } = run.view.request;
    const asked = locale === undefined ? undefined : asText(run, locale.evaluate(run));
    const locales = own ?? (asked === undefined ? faker && localesOf(faker, run) : localesNamed(asked));
    if (locales === undefined) return make;
    if (!loaded.has(locales)) run.view.work -= loadingWork(locales);
    return (run.view.work < 0 ? undefined : functionOf(name, locales)) ?? make;
  };
  return called(makeFor, argumentsOf, work, charsPerCount(name));
};

function called(
  makeFor: (run: TemplateRun) => FakerFunction,
  argumentsOf: (run: TemplateRun) => readonly unknown[],
  work: number,
  perCount: number,
): Evaluate {
  return (run) => {
    const args = argumentsOf(run);
    run.steps -= FAKER_STEPS;
    run.view.work -= work + charsIn(args, perCount) * CHAR_WORK;
    if (run.view.work < 0) return undefined;
    drawsLeft = DRAWS_MAX;
    current = run.random;
    now = run.view.now();
    try {
      const value = makeFor(run)(...args);
      if (!Array.isArray(value)) return plainValue(value);
      run.view.work -= value.length * ITEM_WORK;
      return run.mayMakeList(value.length) ? value.map(plainValue) : undefined;
    } catch {
      // It refuses its arguments, or needs some.
      return undefined;
    } finally {
      run.view.work -= Math.max(DRAWS_MAX - DRAWS_COVERED - drawsLeft, 0) * DRAW_WORK;
    }
  };
}

function always<Value>(value: Value): () => Value {
  return () => value;
}

/** The values of all arguments when all are literals. */
function literalsOf(
  args: readonly Argument[],
  options: readonly (readonly [string, Argument])[],
): readonly [unknown[], (readonly [string, unknown])[]] | undefined {
  const isFixed = [...args, ...options.map(([, argument]) => argument)].every(({ literal }) => literal !== undefined);
  if (!isFixed) return undefined;
  return [
    args.map(({ literal }) => literal?.value),
    options.map(([name, { literal }]) => [name, literal?.value] as const),
  ];
}

/**
 * Draws of a call. Some functions take an argument that they do not know for a length of 2^53, so a call that draws too often ends:
 * 10,000 draws take 20 ms at most. The work of a call covers its first ones.
 */
const DRAWS_MAX = 10_000;
const DRAWS_COVERED = 30;
const DRAW_WORK = 100;
/** Cost of a character that is given, or of one that is counted. Some functions compare texts and lengths with all their words. */
const CHAR_WORK = 25;
/** Cost of an item of a list that is made: times are printed. */
const ITEM_WORK = 150;

function draw(): number {
  if (--drawsLeft < 0) throw new RangeError('faker generates too many random values');
  return current();
}

/** Modules whose numbers are values; of others they are counts and lengths, which are bounded. */
const FREE_NUMBERS = /^(?:number\.|date\.|image\.|commerce\.price|finance\.amount)/;
const COUNT_MAX = 1_000;
/** Bounds of a list or an object among the arguments, and how deep they go: `length={min, max}` in an object of options is the deepest. */
const ITEMS_MAX = 100;
const DEPTH_MAX = 2;
/** Work of copying an item or a member of them. */
const COPY_WORK = 130;

/** Names of the arguments that older versions took in order, for functions that now take one object. */
const OLD_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'commerce.price': ['min', 'max', 'dec', 'symbol'],
  'date.between': ['from', 'to'],
  'date.betweens': ['from', 'to', 'count'],
  'date.future': ['years', 'refDate'],
  'date.past': ['years', 'refDate'],
  'date.recent': ['days', 'refDate'],
  'date.soon': ['days', 'refDate'],
  'finance.amount': ['min', 'max', 'dec', 'symbol'],
  'image.url': ['width', 'height'],
  'internet.email': ['firstName', 'lastName', 'provider'],
  'internet.password': ['length', 'memorable'],
  'internet.username': ['firstName', 'lastName'],
  'location.latitude': ['max', 'min', 'precision'],
  'location.longitude': ['max', 'min', 'precision'],
};

/**
 * Numbers of cards are made by a pattern that may be given. Its repetitions are expanded without a bound, and for ever when they are
 * nested.
 */
function isEndless(name: string, text: string): boolean {
  return name === 'finance.creditCardNumber' && text.includes('{');
}

/** @param budget Pays for lists and objects, which literals cannot be. */
function callArguments(
  name: string,
  budget: WorkBudget,
  args: readonly unknown[],
  options: readonly (readonly [string, unknown])[],
): readonly unknown[] {
  const isFree = FREE_NUMBERS.test(name);
  const bounded = (value: unknown, option = '', depth = 0): unknown => {
    if (depth > DEPTH_MAX) return undefined;
    // commerce.isbn counts up to it, also where it is a text.
    if (option === 'variant' && typeof value !== 'number') return undefined;
    if (typeof value === 'number')
      return isFree && option !== 'count' && Number.isFinite(value) ? value : Math.min(value, COUNT_MAX);
    // Their length is what some functions take for the length that is asked for.
    if (typeof value === 'string') return isEndless(name, value) ? undefined : value.slice(0, COUNT_MAX);
    if (Array.isArray(value)) {
      const items = value.slice(0, ITEMS_MAX);
      return take(budget, items.length * COPY_WORK) ? items.map((each) => bounded(each, '', depth + 1)) : undefined;
    }
    if (!isObject(value)) return value;
    const names = namesOf(budget, value).slice(0, ITEMS_MAX);
    if (!take(budget, names.length * COPY_WORK)) return undefined;
    return Object.fromEntries(names.map((each) => [each, bounded(value[each], each, depth + 1)]));
  };
  const given = options.map(([key, value]) => [key, bounded(value, key)] as const);
  const order = OLD_ARGUMENTS[name];
  if (order !== undefined && args.length > 0 && !isObject(args[0])) {
    const first = args.slice(0, order.length).map((value, at) => [order[at], bounded(value, order[at])]);
    return [Object.fromEntries([...first, ...given])];
  }
  const own = args.map((value) => bounded(value));
  return given.length === 0 ? own : [...own, Object.fromEntries(given)];
}

/** Characters that a number among the arguments costs, times its value. */
function charsPerCount(name: string): number {
  if (FREE_NUMBERS.test(name)) return 0;
  // Each extension is looked for in all of them: 9 us.
  return name === 'system.fileName' ? 120 : 1;
}

/** Counts texts among the arguments, and numbers by their value; an item of a list counts as one. */
function charsIn(args: readonly unknown[], perCount: number): number {
  let chars = 0;
  for (const value of args) {
    if (typeof value === 'string') chars += value.length;
    else if (typeof value === 'number') chars += Math.max(value * perCount, 0) || 0;
    else if (Array.isArray(value)) chars += value.length + charsIn(value, perCount);
    else if (isObject(value)) chars += charsIn(Object.values(value), perCount);
  }
  return chars;
}

/** @param name From faker-modules.ts. @param locales As `loaded` has them. @returns undefined when faker has none of the name. */
function functionOf(name: string, locales = ''): FakerFunction | undefined {
  const [moduleName = '', functionName = ''] = name.split('.');
  const faker = loaded.get(locales) ?? loadFaker(locales);
  if (!Object.hasOwn(faker, moduleName)) return undefined;
  const module = faker[moduleName] as FakerModule;
  const isFunction = Object.hasOwn(module, functionName) && typeof module[functionName] === 'function';
  return isFunction ? (module[functionName] as FakerFunction) : undefined;
}

/** Loads the languages of a mock where it is compiled: no request waits for them. */
export function loadLocales({ locale, locales = [] }: FakerSetting): void {
  const names = locale === BY_REQUEST ? locales.map(localesNamed) : [localesNamed([locale].flat().join(' '))];
  for (const name of names) if (name !== undefined && !loaded.has(name)) loadFaker(name);
}

/** The package's own entry would load all languages for its class. */
function loadFaker(locales: string): FakerModule {
  const { faker } = loadPackage('faker-en') as { faker: Faker };
  const Class = faker.constructor as typeof Faker;
  const randomizer = { next: draw, seed: () => undefined };
  const own = locales === '' ? [] : locales.split(' ').map(wordsOf);
  const made = new Class({ locale: [...own, faker.rawDefinitions], randomizer });
  made.setDefaultRefDate(() => new Date(now));
  const oldest = [...loaded.keys()].find((name) => name !== '');
  if (loaded.size > LOADED_MAX && oldest !== undefined) loaded.delete(oldest);
  loaded.set(locales, made as unknown as FakerModule);
  return made as unknown as FakerModule;
}

function loadingWork(locales: string): number {
  return MADE_WORK + WORDS_WORK * locales.split(' ').filter((locale) => !words.has(locale)).length;
}

function wordsOf(locale: string): LocaleDefinition {
  const known = words.get(locale);
  if (known !== undefined) return known;
  const read = JSON.parse(readFileSync(new URL(`${locale}.json`, FAKER_FOLDER), 'utf8')) as LocaleDefinition;
  words.set(locale, read);
  return read;
}

/** @param text Names, separated by spaces or commas. @returns As `loaded` has them; undefined for English alone. */
function localesNamed(text: string): string | undefined {
  const names = text.split(/[\s,]+/, LOCALES_MAX).flatMap((name) => fakerLocale(name) ?? []);
  return names.length === 0 || names[0] === 'en' ? undefined : names.join(' ');
}

const LOCALES_MAX = 5;

function localesOf({ locale, locales = [] }: FakerSetting, { view }: TemplateRun): string | undefined {
  if (locale !== BY_REQUEST) return localesNamed([locale].flat().join(' '));
  const header = view.header('accept-language') ?? '';
  if (!take(view, header.length)) return undefined;
  const offered = locales.flatMap((name) => fakerLocale(name) ?? []);
  return localesNamed(acceptedLocales(header, offered)[0] ?? '');
}

/** Times become ISO texts, and other values what JSON makes of them. What is not a number is missing. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return value.toString();
  return Array.isArray(value) ? value.map(plainValue) : value;
}
