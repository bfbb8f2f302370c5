/** Reads WireMock stubs. */
import type { Detection, MockFormat, ReadMock } from '../format.ts';
import { isObject } from '../source/member.ts';

export const wiremockFormat: MockFormat = {
  name: 'wiremock',
  isFolder: true,
  unknown: 'wiremock.unknown',
  detect,
  read,
};

function detect(content: unknown): Detection | undefined {
  if (!isObject(content)) return undefined;
  if (Array.isArray(content.mappings)) return { format: 'wiremock', detectedBy: '`mappings`' };
  if (!isObject(content.request) || !isObject(content.response)) return undefined;
  return { format: 'wiremock', detectedBy: '`request` with `response`' };
}

function read(): ReadMock[] {
  return [{ name: '', routes: [] }];
}
