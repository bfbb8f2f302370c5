/** Reads docs/templates.md: the request of its examples, the settings of their mock, and the tables of helpers. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MockSettings } from '../../src/model/mocks/definition/definition.ts';
import type { MockRequest } from '../../src/serving/matching/request/mock-request.ts';
import { request } from './mocks.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/templates.md'), 'utf8');

export interface DocumentedExample {
  /** The first word of the first column. */
  readonly helper: string;
  readonly example: string;
  readonly gives: string;
}

/** The rows of all tables of helpers. "nothing" stands for the empty text. */
export function documentedExamples(): DocumentedExample[] {
  return [...chapter('Helpers').matchAll(/^\| `([^`]+)` \| `([^`]+)` \| (?:`([^`]+)`|nothing) \|$/gm)].map(
    ([, takes = '', example = '', gives = '']) => ({
      helper: takes.split(' ')[0] as string,
      example: example.replaceAll('\\|', '|'),
      gives: gives.replaceAll('\\|', '|'),
    }),
  );
}

/** All rows but the heads, whether they can be read or not. */
export function documentedRows(): number {
  return [...chapter('Helpers').matchAll(/^\| .+ \| .+ \| .+ \|$/gm)].filter(
    ([row]) => !row.startsWith('| helper | example | gives |'),
  ).length;
}

/** `other name → helper`. */
export function documentedNames(): Record<string, string> {
  const rows = [...chapter('Other names').matchAll(/^\| (`[^|]+`) \| `(\w+)` \|$/gm)];
  return Object.fromEntries(
    rows.flatMap(([, names = '', helper = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, helper]),
    ),
  );
}

export function documentedSettings(): Partial<MockSettings> {
  return JSON.parse(block('json')) as Partial<MockSettings>;
}

export function documentedRoute(): string {
  return /to the route `([^`]+)`/.exec(chapter('Helpers'))?.[1] ?? '';
}

export function documentedRequest(): MockRequest {
  const [head = '', body = ''] = block('http').split(/\n\n(.*)/s);
  const [line = '', ...fields] = head.split('\n');
  const [method = '', target = ''] = line.split(' ');
  const headers = Object.fromEntries(fields.map((field) => field.split(/: (.*)/s).slice(0, 2)));
  const clientIp = /request of `([^`]+)`/.exec(chapter('Helpers'))?.[1];
  return { ...request(method, target, { headers, body }), clientIp };
}

/** With its sub-chapters. */
function chapter(title: string): string {
  const level = PAGE.includes(`\n## ${title}\n`) ? '##' : '###';
  return PAGE.split(`\n${level} ${title}\n`)[1]?.split(/\n## /)[0] ?? '';
}

function block(language: string): string {
  return new RegExp(`\`\`\`${language}\\n(.*?)\\n\`\`\``, 's').exec(chapter('Helpers'))?.[1] ?? '';
}
