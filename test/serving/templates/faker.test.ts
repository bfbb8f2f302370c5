import { describe, expect, test } from 'vitest';
import { fakerHelper } from '../../../src/serving/matching/templates/faker.ts';
import { callHelper, named, newRun } from '../../support/helper-call.ts';
import { compile, compiledAnswer, define, request, response, route } from '../../support/mocks.ts';

const NOW = Date.parse('2026-03-31T13:05:09.042Z');
const DAY_MS = 86_400_000;

const call = (...values: unknown[]): unknown => callHelper(fakerHelper, values);
/** With arguments that the request gives. */
const computed = (name: string, ...values: unknown[]): unknown =>
  callHelper(
    (args, options, context) =>
      fakerHelper([{ evaluate: () => name, literal: { value: name } }, ...args], options, context),
    values,
    newRun(),
    false,
  );

/** In JSON, at a fixed time. */
function render(body: string, seed = 1, number = 1): string {
  const settings = { seed, clock: new Date(NOW).toISOString() };
  const mock = compile(define([route('GET /', [response({ templated: 'json', body })])], settings));
  const answer = compiledAnswer(mock, request('GET', '/'), number);
  expect(answer?.problem).toBeUndefined();
  return Buffer.from(answer?.body ?? '', 'latin1').toString();
}

describe('faker', () => {
  test.each<[unknown[], RegExp]>([
    [['number.int', 5], /^[0-5]$/],
    [['number.int', named({ min: 7, max: 8 })], /^[78]$/],
    [['string.alphanumeric', 12], /^[A-Za-z0-9]{12}$/],
    [['string.alpha', named({ length: 3, casing: 'upper' })], /^[A-Z]{3}$/],
    [['person.firstName', 'female'], /^\p{L}/u],
    [['color.rgb', named({ format: 'hex', casing: 'lower' })], /^#[0-9a-f]{6}$/],
    [['location.zipCode', '###'], /^\d{3}$/],
  ])('%j takes its arguments', (values, expected) => {
    expect(String(call(...values))).toMatch(expected);
  });

  test.each<[string, unknown[], RegExp]>([
    ['address.city', [], /^\p{L}/u],
    ['commerce.price', [10, 12, 0], /^1[0-2]$/],
    ['company.companyName', [], /./],
    ['datatype.number', [9], /^\d$/],
    ['datatype.string', [4], /^.{4}$/s],
    ['datatype.uuid', [], /^[0-9a-f-]{36}$/],
    ['date.between', ['2020-01-01', '2020-01-02'], /^2020-01-0[12]T/],
    ['finance.amount', [5, 6, 3, '$'], /^\$[56]\.\d{3}$/],
    ['image.imageUrl', [64, 48], /\/64\/48|\/64x48/],
    ['internet.avatar', [], /^https:/],
    ['internet.email', ['Ada', 'Lovelace', 'example.com'], /@example\.com$/],
    ['internet.password', [20], /^\w{20}$/],
    ['internet.userName', ['Ada'], /ada/i],
    ['location.latitude', [11, 10], /^1[01](\.|$)/],
    ['name.findName', [], / /],
    ['phone.phoneNumber', [], /\d/],
    ['random.alphaNumeric', [25], /^[a-z0-9]{25}$/i],
    ['random.number', [named({ min: 3, max: 3 })], /^3$/],
  ])('%s %j, as older versions had it, means what it did', (name, args, expected) => {
    expect(String(call(name, ...args))).toMatch(expected);
    expect(String(computed(name, ...args))).toMatch(expected);
  });

  test('gives values of JSON', () => {
    const made = JSON.parse(
      render(`{"int":{{faker 'number.int' max=99}},"is":{{faker 'datatype.boolean'}},"at":{{faker 'date.past'}},
        "big":{{faker 'number.bigInt' 9}},"place":{{faker 'location.nearbyGPSCoordinate'}},"airport":{{faker 'airline.airport'}}}`),
    ) as Record<string, unknown>;
    expect(made).toEqual({
      int: expect.any(Number),
      is: expect.any(Boolean),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      big: expect.stringMatching(/^\d$/),
      place: [expect.any(Number), expect.any(Number)],
      airport: { name: expect.any(String), iataCode: expect.stringMatching(/^[A-Z]{3}$/) },
    });
  });

  test('repeats with a seed, for the same number of a request', () => {
    const body = `[{{faker 'person.fullName'}},{{faker 'number.int'}},{{faker 'date.recent'}},{{uuid}}]`;
    expect(render(body)).toBe(render(body));
    expect(render(body, 2)).not.toBe(render(body));
    expect(render(body, 1, 2)).not.toBe(render(body));
  });

  test.each([
    ['date.recent', 365, -365, 0],
    ['date.soon', 2, 0, 2],
    ['date.past', 1, -366, 0],
    ['date.future', 1, 0, 366],
  ])('%s is around the time of the mock', (name, count, fewestDays, mostDays) => {
    for (let number = 1; number <= 50; number++) {
      const days = (Date.parse(render(`{{faker '${name}' ${count}}}`, 1, number).slice(1, -1)) - NOW) / DAY_MS;
      expect(days).toBeGreaterThanOrEqual(fewestDays);
      expect(days).toBeLessThanOrEqual(mostDays);
    }
  });

  test.each([
    ['number.int', named({ min: 9, max: 1 })],
    ['number.int', named({ max: 'x' })],
    ['date.between', named({ from: 'x', to: 'y' })],
    ['string.alpha', -5],
    ['finance.pin', 0],
  ])('%s %j is refused, and so missing', (name, argument) => {
    expect([undefined, '']).toContain(call(name, argument));
  });

  test.each([
    'person.none',
    'person.constructor',
    'person.__proto__',
    'helpers.fake',
    'helpers.mustache',
    'person',
    'x.y',
  ])('%s is not a function of it: text', (name) => {
    expect(call(name)).toBe(`{{faker '${name}'}}`);
  });

  test.each<[string, unknown]>([
    ['finance.creditCardNumber', 'a{30000000}#'],
    ['finance.creditCardNumber', '0{1{9}}#'],
    ['finance.creditCardNumber', named({ issuer: 'a{1,30000000}#' })],
    ['date.betweens', named({ from: '2020-01-01', to: '2021-01-01', count: 1e9 })],
    ['string.alpha', named({ length: 1e9 })],
    ['string.alpha', named({ length: { min: 1e9, max: 1e9 } })],
    ['lorem.paragraphs', 1e6],
    ['internet.password', named({ pattern: '(a+)+$' })],
    ['number.romanNumeral', 1e9],
  ])('%s %j makes little, soon', (name, argument) => {
    const started = process.cpuUsage();
    const made = [call(name, argument), computed(name, argument)];
    expect(JSON.stringify(made).length).toBeLessThan(1_000_000);
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
  });
});
