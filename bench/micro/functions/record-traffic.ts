/** Recording a request: its line, its headers and its body as bytes, in blocks of which the oldest go. */
import { equal } from 'node:assert/strict';
import type { Recorded } from '../../../src/serving/thread/traffic-blocks.ts';
import { Traffic } from '../../../src/serving/thread/traffic.ts';
import type { MicroCase } from '../micro-function.ts';

export const UNIT = 'headers';

export const SIZES = [3, 10, 30] as const;

const BYTES_MAX = 16_000_000;
const MOCK = 'm1';

export function prepare(size: number): MicroCase[] {
  return [
    append('without a body', recorded(size, 'some value', undefined)),
    append('body of 1 kB', recorded(size, 'some value', Buffer.alloc(1_000, 'x'))),
    append('headers outside ASCII', recorded(size, 'gr\u00fc\u00dfe', undefined)),
  ];
}

function append(name: string, record: Recorded): MicroCase {
  const traffic = new Traffic(BYTES_MAX, BYTES_MAX);
  const mock = traffic.of(MOCK);
  return {
    name,
    run: () => traffic.append(mock, record),
    async check() {
      const { records } = await traffic.read(MOCK, { limit: 1 });
      equal(records[0]?.path, record.path);
      equal(records[0]?.headers.length, record.headers.length / 2);
      equal(records[0]?.body.length, record.body?.length ?? 0);
    },
  };
}

function recorded(headerCount: number, value: string, body: Buffer | undefined): Recorded {
  return {
    number: 1,
    time: Date.now(),
    method: 'POST',
    path: '/catalogue/offers',
    query: 'page=7',
    headers: Array.from({ length: headerCount }, (_, index) => [`x-header-${index}`, value]).flat(),
    body,
    bodyTruncated: false,
    routeId: 'r00000000001',
    responseId: 'p00000000001',
    version: 1,
    status: 200,
    durationMs: 0,
    problem: '',
    place: 0,
  };
}
