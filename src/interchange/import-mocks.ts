/**
 * Reads the files of an import into mocks: parses, detects the format, lets it read, accounts for every member, checks against the model.
 *
 * Pure: no network, no file, no clock. It runs in a thread that can be ended.
 */
import { isRefusal } from '../errors.ts';
import { templateProblem } from '../languages/templates/template-checks.ts';
import type { MockLimits } from '../limits.ts';
import { MOCK_FORMATS, RULES_FORMATS } from './all-formats.ts';
import { checkedMock, type CheckedMock } from './checked-mock.ts';
import { withOwnUrls } from './exchanges/own-urls.ts';
import type { ImportOptions, ReadMock, ReadResponse } from './format.ts';
import { findEntry, skippedText } from './reading/find-entry.ts';
import {
  linesIn,
  noteLeftovers,
  openSource,
  problemOf,
  type ImportProblem,
  type OtherFormats,
} from './reading/open-source.ts';
import { ReportWriter, type Report } from './report/report.ts';
import { Bundle, type SourceFile } from './source/bundle.ts';
import type { SourceProblem } from './source/parse-source.ts';

const RULES: OtherFormats = {
  formats: RULES_FORMATS,
  advice: 'this is a rules file: import it with `switchyard rules import`, or POST /v1/rules/import',
};

export interface MockImport {
  readonly mocks: readonly CheckedMock[];
  readonly report: Report;
}

/** Result that an import would have, as JSON. */
export interface MockPreview {
  readonly definitions: Buffer;
  readonly report: Report;
}

/** @param named The path of the file to begin with; undefined where it is to be found. */
export function importMocks(
  files: readonly SourceFile[],
  named: string | undefined,
  options: ImportOptions,
  limits: MockLimits,
): MockImport | ImportProblem {
  const bundle = new Bundle(files);
  const { format: asked } = options;
  const formats = MOCK_FORMATS.filter(({ name }) => asked === undefined || name === asked);
  const entry = named ?? findEntry(bundle, formats);
  if (typeof entry !== 'string') return problemOf('', entry);
  const alone = options.entryName ?? options.fileName ?? '';
  // A format that somebody names is that of the file, whatever that is called.
  const called = asked === 'json-server' ? 'db.json' : entry === '' ? alone : entry;
  const opened = openSource(bundle, entry, formats, RULES, called);
  if ('details' in opened) return opened;
  const { root, format, detection } = opened;

  const report = new ReportWriter();
  report.item('mock', root);
  const read = format.read(root, bundle, options, report);
  // To go on without it would say of a slip of the pen that the file is not there.
  const { broken } = bundle;
  if (broken !== undefined) return problemOf(broken, bundle.parsed(broken) as SourceProblem);
  const mocks: CheckedMock[] = [];
  for (const mock of withNames(read, options.fileName)) {
    const each = withOwnUrls(mock, options.rewriteUrls === true);
    const checked = checkedMock(options.jsonTemplates === true ? withJsonTemplates(each, report) : each, limits);
    if (isRefusal(checked)) return { details: checked.details ?? [{ path: '', message: checked.message }] };
    mocks.push(checked);
  }
  // A person writes our own files: what is misspelt may be why a part is dropped.
  noteLeftovers(bundle, report, format.unknown, format.name === 'switchyard');
  const { unused } = bundle;
  report.countFiles('import.other-file', unused, skippedText(bundle, unused, MOCK_FORMATS));
  return { mocks, report: report.finish(detection, linesIn(bundle)) };
}

/** Those without a title have the name of their file, from the second on with a number. */
function withNames(mocks: readonly ReadMock[], fileName = ''): readonly ReadMock[] {
  const base = /([^/\\]+?)(?:\.(?:json|ya?ml|har))?[/\\]*$/i.exec(fileName)?.[1]?.slice(0, NAME_CHARS_MAX) ?? '';
  if (base === '') return mocks;
  let count = 0;
  return mocks.map((mock) => {
    if (mock.name !== '') return mock;
    count++;
    return { ...mock, name: count === 1 ? base : `${base} ${count}` };
  });
}

/** Bound that every server takes. */
const NAME_CHARS_MAX = 100;

/** An object or an array, and no tag. */
const JSON_BEGINS = /^\s*(?:\[|\{(?!\{))/;

/** The mock with its templates made such of JSON where their text is JSON. */
function withJsonTemplates(mock: ReadMock, report: ReportWriter): ReadMock {
  let count = 0;
  const asJson = <Holder extends Templated>(holder: Holder): Holder => {
    if (!isJsonTemplate(holder)) return holder;
    count++;
    return { ...holder, templated: 'json' };
  };
  const converted = (response: ReadResponse): ReadResponse => {
    const { callbacks } = response;
    return asJson(callbacks === undefined ? response : { ...response, callbacks: callbacks.map(asJson) });
  };
  const routes = mock.routes.map((route) => ({ ...route, responses: route.responses.map(converted) }));
  if (count > 0) report.count('import.json-template', count);
  return { ...mock, routes };
}

/** A response, or a callback of one. */
type Templated = Pick<ReadResponse, 'templated' | 'body' | 'bodyEncoding'>;

function isJsonTemplate({ templated, body = '', bodyEncoding = 'text' }: Templated): boolean {
  if (templated !== true || bodyEncoding !== 'text') return false;
  return JSON_BEGINS.test(body) && body.includes('{{') && templateProblem(body, 'json') === undefined;
}
