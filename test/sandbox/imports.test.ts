/** The thread that imports: it ends at its limits and is there again, and owners take turns. */
import { IMPORTS_PER_OWNER_MAX } from '../../src/sandbox/sandbox-pool.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, IMPORT_MS } from '../../src/limits.ts';
import { Imports } from '../../src/sandbox/imports.ts';
import { Lane } from '../../src/sandbox/lane.ts';

const lanes: Lane[] = [];
afterAll(() => Promise.all(lanes.map((lane) => lane.close())));

function newLane(heapMb = 256): Lane {
  const lane = new Lane('imports', heapMb, IMPORTS_PER_OWNER_MAX);
  lanes.push(lane);
  return lane;
}

function imports(lane = newLane(), ms?: number): Imports {
  return new Imports(lane, DEFAULT_LIMITS, ms);
}

const SMALL = { switchyard: 1, kind: 'mock', name: 'small', routes: [{ method: 'GET', path: '/a', responses: [{}] }] };

/** @param routesCount How large it is. */
function source(routesCount = 1) {
  const routes = Array.from({ length: routesCount }, (_, index) => ({ ...SMALL.routes[0], path: `/a${index}` }));
  const upload = Buffer.from(JSON.stringify({ ...SMALL, routes }));
  return { source: { upload, entry: undefined }, options: {} };
}

const LARGE = source(60_000);

describe('an import', () => {
  // reaches IMPORT_MS
  test('that takes too long ends at its limit, and the next one is read', async () => {
    const lane = newLane();
    const thread = imports(lane);
    expect(await thread.mocks('acme', source())).toHaveProperty('report');
    const started = performance.now();
    expect(await imports(lane, 400).mocks('acme', LARGE)).toBe(undefined);
    expect(performance.now() - started).toBeLessThan(IMPORT_MS);
    expect(await thread.mocks('acme', source())).toHaveProperty('report');
  });

  // reaches IMPORT_HEAP_MB
  test('that takes too much memory ends, and the next one is read', async () => {
    const thread = imports(newLane(24));
    expect(await thread.mocks('acme', LARGE)).toBe(undefined);
    expect(await thread.mocks('acme', source())).toHaveProperty('report');
  });

  // reaches IMPORTS_PER_OWNER_MAX
  test('waits for those of other owners that wait, and of its own owner no more than four wait', async () => {
    const thread = imports();
    const done: string[] = [];
    const read = async (ownerId: string, name: string): Promise<unknown> => {
      const found = await thread.mocks(ownerId, source(200));
      done.push(name);
      return found;
    };
    const many = Array.from({ length: IMPORTS_PER_OWNER_MAX + 1 }, (_, index) => read('acme', `acme${index}`));
    const other = read('globex', 'globex');
    expect(await thread.mocks('acme', source())).toMatchObject({ kind: 'overloaded' });
    for (const found of await Promise.all([...many, other])) expect(found).toHaveProperty('mocks');
    expect(done.indexOf('globex')).toBe(1);
  });
});
