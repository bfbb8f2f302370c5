/** Reads MockServer expectations. */
import type { Detection, MockFormat, ReadMock } from '../format.ts';
import { isObject } from '../source/member.ts';

export const mockserverFormat: MockFormat = {
  name: 'mockserver',
  isFolder: true,
  unknown: 'mockserver.unknown',
  detect,
  read,
};

function detect(content: unknown): Detection | undefined {
  const [first] = Array.isArray(content) ? (content as unknown[]) : [content];
  if (!isObject(first) || !Object.hasOwn(first, 'httpRequest')) return undefined;
  return { format: 'mockserver', detectedBy: '`httpRequest`' };
}

function read(): ReadMock[] {
  return [{ name: '', routes: [] }];
}
