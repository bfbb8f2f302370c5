/** Reads mountebank imposters. */
import type { Detection, MockFormat, ReadMock } from '../format.ts';
import { isObject } from '../source/member.ts';

export const mountebankFormat: MockFormat = {
  name: 'mountebank',
  unknown: 'mountebank.unknown',
  detect,
  read,
};

function detect(content: unknown): Detection | undefined {
  if (!isObject(content)) return undefined;
  if (Array.isArray(content.imposters)) return { format: 'mountebank', detectedBy: '`imposters`' };
  if (!Array.isArray(content.stubs) || typeof content.protocol !== 'string') return undefined;
  return { format: 'mountebank', detectedBy: '`stubs` with `protocol`' };
}

function read(): ReadMock[] {
  return [{ name: '', routes: [] }];
}
