/** The report of a drift run as JUnit XML, which CI servers show: a test case for each response. */
import type { DriftReport } from '../client/index.ts';
import { changeLine, titleOf } from './drift-lines.ts';

type Result = DriftReport['results'][number];

/** @param isStrict Whether what was added is a failure, too. */
export function junitOf(report: DriftReport, mock: string, isStrict: boolean): string {
  const { results, upstream, startedAt, finishedAt } = report;
  const count = (fits: (result: Result) => boolean): string => String(results.filter(fits).length);
  const suite = {
    name: mock,
    tests: String(results.length),
    failures: count((result) => isFailure(result, isStrict)),
    errors: count(({ verdict }) => verdict === 'failed'),
    skipped: count(({ verdict }) => verdict === 'skipped'),
    time: String(((finishedAt ?? startedAt) - startedAt) / 1_000),
    timestamp: new Date(startedAt).toISOString(),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    open('testsuite', suite),
    `<properties>${open('property', { name: 'upstream', value: upstream })}</property></properties>`,
    ...results.map((result) => testCase(result, isStrict)),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(result: Result, isStrict: boolean): string {
  const { route, verdict, reason, detail, changes, volatile } = result;
  const lines = changes.map(changeLine);
  const isFailed = isFailure(result, isStrict);
  const output = [
    ...(isFailed ? [] : lines),
    ...(volatile.length === 0 ? [] : [`differs each time: ${volatile.join(', ')}`]),
  ];
  const why = `${reason ?? ''}: ${detail ?? ''}`;
  return [
    open('testcase', { classname: route, name: titleOf(result) }),
    ...(isFailed ? [failure(result, lines)] : []),
    ...(verdict === 'failed' ? [`${open('error', { type: reason ?? '', message: why })}</error>`] : []),
    ...(verdict === 'skipped' ? [`${open('skipped', { message: why })}</skipped>`] : []),
    ...(output.length === 0 ? [] : [`<system-out>${escaped(output.join('\n'))}</system-out>`]),
    '</testcase>',
  ].join('');
}

function failure({ changes, changeCount }: Result, lines: readonly string[]): string {
  const first = changes.find(({ kind }) => kind !== 'added') ?? changes[0];
  const message = changeCount === 1 ? (lines[0] ?? '') : `${changeCount} changes`;
  return `${open('failure', { type: first?.kind ?? '', message })}${escaped(lines.join('\n'))}</failure>`;
}

function isFailure({ verdict, breaking }: Result, isStrict: boolean): boolean {
  return verdict === 'changed' && (breaking || isStrict);
}

function open(name: string, attributes: Readonly<Record<string, string>>): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${written.join('')}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters without a form in XML 1.0. */
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escaped(text: string): string {
  return text.replaceAll(NO_CHARACTER, '\ufffd').replaceAll(/[&<>"]/g, (each) => ENTITIES[each] ?? each);
}
