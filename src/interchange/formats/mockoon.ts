/** Reads Mockoon environments. */
import type { Detection, MockFormat, ReadMock } from '../format.ts';
import { isObject } from '../source/member.ts';

export const mockoonFormat: MockFormat = {
  name: 'mockoon',
  unknown: 'mockoon.unknown',
  detect,
  read,
};

function detect(content: unknown): Detection | undefined {
  if (!isObject(content)) return undefined;
  if (typeof content.source === 'string' && content.source.startsWith('mockoon:') && Array.isArray(content.data)) {
    return {
      format: 'mockoon',
      version: content.source.slice('mockoon:'.length),
      detectedBy: '`source` of an export of Mockoon',
    };
  }
  if (!Array.isArray(content.routes) || !Object.hasOwn(content, 'lastMigration')) return undefined;
  return { format: 'mockoon', version: String(content.lastMigration), detectedBy: '`routes` with `lastMigration`' };
}

function read(): ReadMock[] {
  return [{ name: '', routes: [] }];
}
