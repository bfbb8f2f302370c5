/** Numbers that JavaScript prints otherwise are sent, compared and exported as a file has them. */
import { expect, test } from 'vitest';
import { writeOpenApi } from '../../src/interchange/formats/openapi/write.ts';
import { writeSwitchyard } from '../../src/interchange/formats/switchyard.ts';
import { ReportWriter } from '../../src/interchange/report/report.ts';
import { answerOf } from '../support/answers.ts';
import { definitionOf, imported } from '../support/imports.ts';

const JSON_TEXT = '{"id":12345678901234567890,"price":1.10,"list":[0.1000000000000000055]}';
const compact = (text: string | undefined): string => (text ?? '').replaceAll(/\s/g, '');

const FILES: readonly [name: string, file: string][] = [
  ['openapi', openApi(`"example": ${JSON_TEXT}`)],
  ['openapi examples', openApi(`"examples": {"a": {"value": ${JSON_TEXT}}}`)],
  ['wiremock', `{"request": {"urlPath": "/a"}, "response": {"jsonBody": ${JSON_TEXT}}}`],
  ['mockserver', `[{"httpRequest": {"path": "/a"}, "httpResponse": {"body": {"json": ${JSON_TEXT}}}}]`],
  [
    'mountebank',
    `{"protocol": "http", "port": 1, "stubs": [{"predicates": [{"equals": {"path": "/a"}}], "responses": [{"is": {"body": ${JSON_TEXT}}}]}]}`,
  ],
  [
    'switchyard',
    `{"switchyard": 2, "kind": "mock", "name": "a", "routes": [{"method": "GET", "path": "/a", "responses": [{"bodyJson": ${JSON_TEXT}}]}]}`,
  ],
];

function openApi(example: string): string {
  const content = `{"application/json": {${example}}}`;
  return `{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {"/a": {"get": {"responses": {"200": {"description": "", "content": ${content}}}}}}}`;
}

test.each(FILES)('%s', (_name, file) => {
  const found = imported(file);
  expect(found.report.entries.map(({ code }) => code)).not.toContain('import.number');
  expect(compact(answerOf(found, 'GET /a')?.body)).toBe(JSON_TEXT);
  const named = { name: 'a', description: '', definition: definitionOf(found) };
  for (const written of [writeSwitchyard(named), writeOpenApi(named, new ReportWriter())]) {
    const again = imported(written);
    expect(compact(answerOf(again, 'GET /a')?.body)).toBe(JSON_TEXT);
  }
});

test('those of YAML, also behind an alias; of merged ones the report says so', () => {
  const file = (example: string): string =>
    `openapi: 3.0.3\ninfo: {title: t, version: 1.10}\nx-price: &price {price: 1.10}\npaths: {/a: {get: {responses: {200: {content: {application/json: {example: ${example}}}}}}}}\n`;
  const body = (example: string): string => compact(answerOf(imported(file(example)), 'GET /a')?.body);
  expect(body('{id: 12345678901234567890, price: 1.10, list: [0.1000000000000000055, -2.50]}')).toBe(
    JSON_TEXT.replace('055]', '055,-2.50]'),
  );
  expect(body('*price')).toBe('{"price":1.10}');
  expect(imported(file('{<<: {id: 12345678901234567890}}')).report.entries).toMatchObject([{ code: 'import.number' }]);
});

test('a number that is not part of a body is reported still', () => {
  const file = `{"request": {"urlPath": "/a"}, "response": {"status": 200, "fixedDelayMilliseconds": 1.00000000000000000001}}`;
  expect(imported(file).report.entries.map(({ code }) => code)).toContain('import.number');
});

test.each([
  ['mockserver', `[{"httpRequest": {"body": {"json": ${JSON_TEXT}}}, "httpResponse": {"body": "held"}}]`],
  [
    'mountebank',
    `{"protocol": "http", "port": 1, "stubs": [{"predicates": [{"deepEquals": {"body": ${JSON_TEXT}}}], "responses": [{"is": {"body": "held"}}]}]}`,
  ],
])('conditions of %s compare all digits', (_name, file) => {
  const found = imported(file);
  expect(answerOf(found, 'POST /a', { body: JSON_TEXT })?.body).toBe('held');
  expect(answerOf(found, 'POST /a', { body: JSON_TEXT.replace('890', '891') })?.body).not.toBe('held');
});
