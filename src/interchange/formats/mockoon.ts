/**
 * Reads environments of Mockoon: files of the application and its exports, of all versions since response rules came.
 *
 * Its newest server is the reference of what a file means; members of older files are read as its migrations do.
 */
import { isObject } from '../../base/json-object.ts';
import type { Detection, ImportOptions, MockFormat, ReadMock } from '../format.ts';
import { objectsIn, scalarText, typed } from '../reading/members.ts';
import type { ReportWriter } from '../report/report.ts';
import type { Bundle } from '../source/bundle.ts';
import type { Member } from '../source/member.ts';
import { readEnvironment } from './mockoon/environment.ts';

export const mockoonFormat: MockFormat = { name: 'mockoon', detect, read };

const EXPORT_SOURCE = 'mockoon:';

function detect(content: unknown): Detection | undefined {
  if (!isObject(content)) return undefined;
  const { source, data, routes, lastMigration } = content;
  if (typeof source === 'string' && source.startsWith(EXPORT_SOURCE) && Array.isArray(data)) {
    return { format: 'mockoon', version: source.slice(EXPORT_SOURCE.length), detectedBy: '`source` of an export' };
  }
  if (!Array.isArray(routes) || lastMigration === undefined) return undefined;
  return { format: 'mockoon', version: scalarText(lastMigration) ?? '?', detectedBy: '`routes` with `lastMigration`' };
}

function read(root: Member, bundle: Bundle, options: ImportOptions, report: ReportWriter): readonly ReadMock[] {
  if (!root.has('data') || root.has('routes')) return [readEnvironment(root, bundle, options, report)];
  root.get('source');
  const mocks: ReadMock[] = [];
  for (const each of objectsIn(root, 'data', report)) {
    const item = typed(each, 'item', 'object');
    if (each.get('type')?.value === 'environment' && item !== undefined) {
      mocks.push(readEnvironment(item, bundle, options, report));
    } else {
      each.whole();
      report.itemOf(each).note('mockoon.item', each);
    }
  }
  return mocks.length === 0 ? [{ name: options.name ?? '', routes: [] }] : mocks;
}
