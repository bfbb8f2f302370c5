/** Languages of made-up values: by mock, by session, by value and by request; docs/templates.md. */
import { allLocales } from '@faker-js/faker';
import { expect, test } from 'vitest';
import { FAKER_LOCALES } from '../../src/languages/templates/faker-locales.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();
type Named = keyof typeof allLocales;

const daysOf = (locale: Named): readonly string[] => allLocales[locale].date?.weekday?.wide as readonly string[];
const answering = (body: string): Fields => ({ ...route('GET /'), responses: [{ templated: true, body }] });
const DAY = "{{faker 'date.weekday'}}";

/** @returns The day that each thread names. */
async function days(mock: string, headers: Record<string, string> = {}): Promise<string[]> {
  const answers: string[] = [];
  for (let round = 0; round < 6; round++) answers.push((await two.ask(mock, '/', { headers })).text);
  return answers;
}

test('every locale of the package is known, and has its words in the build', () => {
  expect(FAKER_LOCALES).toEqual(Object.keys(allLocales).filter((name) => name !== 'base'));
});

test.each<[given: string | string[], locale: Named]>([
  ['de', 'de'],
  ['de-AT', 'de_AT'],
  ['fr', 'fr'],
  ['nl-NL', 'nl'],
  ['pt_br', 'pt_BR'],
  ['ja', 'ja'],
  ['zh-CN', 'zh_CN'],
  ['ko', 'ko'],
  ['ru', 'ru'],
  [['de-CH', 'nl'], 'nl'],
  // Without days of its own, English.
  ['en-GB', 'en'],
])('values of %j', async (locale, words) => {
  const mock = await two.mock([answering(DAY)], { faker: { locale } });
  const found = await days(mock);
  // A locale without days of its own has those of English.
  const known = allLocales[words].date === undefined ? daysOf('en') : daysOf(words);
  expect(known).toEqual(expect.arrayContaining(found));
});

test('a session, a value and a request have their own', async () => {
  const mock = await two.mock([answering(`${DAY} {{faker 'date.weekday' locale='ja'}}`)], { faker: { locale: 'fr' } });
  await two.data('POST', `/${mock}/sessions`, { id: 'de', overlay: { settings: { faker: { locale: 'de' } } } });
  for (const [headers, locale] of [
    [{}, 'fr'],
    [{ 'x-mock-session': 'de' }, 'de'],
  ] as const) {
    for (const text of await days(mock, headers)) {
      const [own = '', japanese = ''] = text.split(' ');
      expect(daysOf(locale)).toContain(own);
      expect(daysOf('ja')).toContain(japanese);
    }
  }
});

test('requests choose among those that are offered, by weight; others get English', async () => {
  const faker = { locale: 'accept-language', locales: ['de', 'fr'] };
  const mock = await two.mock([answering(DAY)], { faker });
  for (const [header, locale] of [
    ['fr;q=0.5, de-AT', 'de'],
    ['it, fr-CH;q=0.9, de;q=0.1', 'fr'],
    ['de;q=0, es', 'en'],
    ['*', 'en'],
  ] as const)
    expect(daysOf(locale)).toEqual(expect.arrayContaining(await days(mock, { 'accept-language': header })));
  const tried = await two.data('POST', `/${mock}/try`, {
    method: 'GET',
    path: '/',
    headers: { 'accept-language': 'fr' },
  });
  expect(daysOf('fr')).toContain(tried.response.body);
});

test('languages that a request makes up are paid for: none holds a thread', async () => {
  const each = "{{#each (split (body) ',')}}{{faker 'date.weekday' locale=this}} {{/each}}";
  const mock = await two.mock([{ ...route('POST /'), responses: [{ templated: true, body: each }] }]);
  const ask = (lists: readonly string[]) => two.ask(mock, '/', { method: 'POST', body: lists.join(',') });
  expect((await ask(['de', 'fr', 'xx'])).status).toBe(200);
  const made = FAKER_LOCALES.flatMap((one) => FAKER_LOCALES.slice(0, 30).map((other) => `${one} ${other}`));
  const startedAt = performance.now();
  const { status, text } = await ask(made);
  expect([status, text]).toEqual([500, expect.stringContaining('reads too much')]);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

test('under a seed the draws of English are those of a mock without the setting', async () => {
  const text = "{{faker 'person.fullName'}} {{faker 'location.city'}}";
  const [one, other] = await Promise.all([
    two.mock([answering(text)], { seed: 7 }),
    two.mock([answering(text)], { seed: 7, faker: { locale: 'en' } }),
  ]);
  expect((await two.ask(one, '/')).text).toBe((await two.ask(other, '/')).text);
});

test.each<[faker: Fields, path: string, message: string]>([
  [{ locale: 'xx' }, '/settings/faker/locale', 'is not a locale of faker: one of af_ZA, ar,'],
  [{ locale: ['de', 'klingon'] }, '/settings/faker/locale/1', 'is not a locale of faker'],
  [{ locale: 'accept-language' }, '/settings/faker', 'needs `locales`'],
  [{ locale: 'de', locales: ['fr'] }, '/settings/faker/locales', 'is for the locale `accept-language` alone'],
])('%j is refused', async (faker, path, message) => {
  const { status, json } = await two.server.request('POST', '/v1/mocks', {
    key: two.key,
    body: { name: 'm', settings: { faker } },
  });
  expect([status, json.details]).toEqual([400, [{ path, message: expect.stringContaining(message) }]]);
});
