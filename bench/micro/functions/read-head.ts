/**
 * The guard: reading the head of a request. The request is a stand-in that hands out strings which are there already; what
 * uWebSockets.js takes to make them is not in these figures.
 */
import { equal } from 'node:assert/strict';
import { readHead, type RequestHead } from '../../../src/http/request-head.ts';
import { readMockHead, type MockHead } from '../../../src/serving/thread/mock-head.ts';
import type { HttpRequest } from '../../../src/wire/uws.ts';
import type { MicroCase } from '../micro-function.ts';

export const UNIT = 'headers';

export const SIZES = [3, 10, 30] as const;

export function prepare(size: number): MicroCase[] {
  const req = standIn(size);
  return [
    {
      name: 'of a mock',
      run: () => readMockHead(req, 'GET'),
      check(result) {
        const { malformed, headers } = result as MockHead;
        equal(malformed, undefined);
        equal(headers.length, size * 2);
      },
    },
    {
      name: 'of the API',
      run: () => readHead(req, 'GET'),
      check(result) {
        const { malformed, apiKey } = result as RequestHead;
        equal(malformed, undefined);
        equal(apiKey, 'sy_0123456789');
      },
    },
  ];
}

function standIn(size: number): HttpRequest {
  const headers: [name: string, value: string][] = [
    ['host', '127.0.0.1:8080'],
    ['connection', 'keep-alive'],
    ['x-api-key', 'sy_0123456789'],
  ];
  while (headers.length < size) headers.push([`x-header-${headers.length}`, 'some value']);
  return {
    getUrl: () => '/catalogue/offers',
    getQuery: () => 'page=7',
    forEach(each: (name: string, value: string) => void) {
      for (const [name, value] of headers) each(name, value);
    },
  } as unknown as HttpRequest;
}
