import { expect, test } from 'vitest';
import { cpuMs } from '../../support/cpu-ms.ts';
import { compile, compiledAnswer, define, request, response, route } from '../../support/mocks.ts';

test.each([
  ["{{faker 'number.int' max=999999}},", 3_000],
  ["{{faker 'date.recent' 365}},", 3_000],
  ["{{faker 'lorem.words' 50}},", 500],
  ["{{faker 'string.alphanumeric' 40}},", 1_000],
])('%s is cheap enough to stand %i times in a response', (tag, times) => {
  const body = `{{#repeat 500}}{{#repeat ${times / 500}}}${tag}{{/repeat}}{{/repeat}}`;
  const mock = compile(define([route('GET /', [response({ templated: true, body })])]));
  const answer = compiledAnswer(mock, request('GET', '/'));
  expect(answer?.problem).toBeUndefined();
  expect(answer?.body?.toString().split(',').length).toBe(times + 1);
});

test.each(["issuer='a{1{9}}#'", "issuer='a{30000000}#'", "'a{1{9}}#'", 'issuer=(body)'])(
  'the number of a card ends with %s',
  (given) => {
    const body = `{{faker 'finance.creditCardNumber' ${given}}}`;
    const mock = compile(define([route('POST /', [response({ templated: true, body })])]));
    const answer = compiledAnswer(mock, request('POST', '/', { body: 'a{1{9}}#' }));
    expect(answer?.body).toMatch(/^[\d-]{8,30}$/);
  },
);

test.each(['30000000', "variant='30000000'", 'variant=30000000'])('the number of a book ends with %s', (given) => {
  const mock = compile(
    define([route('GET /', [response({ templated: true, body: `{{faker 'commerce.isbn' ${given}}}` })])]),
  );
  expect(cpuMs(() => compiledAnswer(mock, request('GET', '/')))).toBeLessThan(1_500);
});
