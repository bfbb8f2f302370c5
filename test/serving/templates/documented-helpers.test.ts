/** docs/templates.md lists every helper with every name it has, and each of its examples gives what it says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OTHER_NAMES, SIGNATURES } from '../../../src/languages/templates/signatures.ts';
import { compile, compiledAnswer, define, request, response, route } from '../../support/mocks.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/templates.md'), 'utf8');
const [, asked = ''] = /```http\n(.*?)```/s.exec(page) ?? [];
const [head = '', body = ''] = asked.trim().split('\n\n');
const [line = '', ...headerLines] = head.split('\n');
const [method = '', target = ''] = line.split(' ');
const headers = Object.fromEntries(headerLines.map((each) => each.split(': ') as [string, string]));
const ASKED = { ...request(method, target, { headers, body }), clientIp: '127.0.0.1' };
const SETTINGS = { clock: '2026-02-03T04:05:06Z', variables: { region: 'eu' } };

/** Names, example and result of each row of the tables. */
const rows = [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| `(.*)` \| `(.*)` \|$/gm)].map(
  ([, names = '', ...cells]) => ({
    names: [...names.matchAll(/\w+/g)].map(([name]) => name),
    cells: cells.map((cell) => cell.replaceAll('\\|', '|').replaceAll('⏎', '\n')) as [string, string],
  }),
);

test('every name is there', () => {
  expect(rows.flatMap(({ names }) => names).toSorted()).toEqual(
    [...Object.keys(SIGNATURES), ...Object.keys(OTHER_NAMES)].toSorted(),
  );
});

test.each(rows.map(({ names: [name], cells }) => [name, ...cells] as const))('%s: %s', (name, template, gives) => {
  expect(template).toContain(name);
  const mock = compile(define([route('POST /users/:id', [response({ templated: true, body: template })])], SETTINGS));
  const answer = compiledAnswer(mock, ASKED);
  const text = Buffer.from(answer?.body ?? '', 'latin1').toString();
  const [, pattern] = /^\/(.*)\/$/.exec(gives) ?? [];
  if (pattern === undefined) expect(text).toBe(gives);
  else expect(text).toMatch(new RegExp(`^${pattern}$`));
});
