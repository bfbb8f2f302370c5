/** The traces of requests, over HTTP with two threads: `traceId` and `trace` (docs/mocks-traffic.md). */
import { beforeAll, describe, expect, test } from 'vitest';
import { route, TARGETS, TwoThreads } from '../support/two-threads.ts';

const ONE = '0af7651916cd43dd8448eb211c80319c';
const OTHER = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = 'b7ad6b7169203331';

/** By path; the trace that each is of. */
const SENT: readonly (readonly [path: string, traceparent: string | string[], trace: string | undefined])[] = [
  ['/plain', `00-${ONE}-${PARENT}-01`, ONE],
  ['/not-sampled', `00-${ONE}-${PARENT}-00`, ONE],
  ['/later-version', `cc-${ONE}-${PARENT}-01`, ONE],
  ['/later-version-with-more', `cc-${ONE}-${PARENT}-01-what-the-future-will-be`, ONE],
  ['/other', `00-${OTHER}-${PARENT}-01`, OTHER],
  ['/more-in-this-version', `00-${ONE}-${PARENT}-01-more`, undefined],
  ['/more-without-hyphen', `cc-${ONE}-${PARENT}-01.more`, undefined],
  ['/no-version', `ff-${ONE}-${PARENT}-01`, undefined],
  ['/upper-case', `00-${ONE.toUpperCase()}-${PARENT}-01`, undefined],
  ['/zeros', `00-${'0'.repeat(32)}-${PARENT}-01`, undefined],
  ['/zero-parent', `00-${ONE}-${'0'.repeat(16)}-01`, undefined],
  ['/short', `00-${ONE.slice(1)}-${PARENT}-01`, undefined],
  ['/empty', '', undefined],
  ['/twice', [`00-${ONE}-${PARENT}-01`, `00-${ONE}-${PARENT}-01`], undefined],
];

describe.each(TARGETS)('%s', async (target) => {
  const two = await TwoThreads.use(target);
  let id: string;

  beforeAll(async () => {
    id = await two.mock([route('GET /*')]);
    for (const [path, traceparent] of SENT) await two.ask(id, path, { headers: { traceparent } });
    await two.ask(id, '/none');
  });

  test('a request has the trace that its header names, and none that is to be ignored', async () => {
    const { json } = await two.api('GET', `/${id}/requests`);
    expect(Object.fromEntries(json.data.map(({ path, traceId }: Record<string, string>) => [path, traceId]))).toEqual(
      Object.fromEntries([...SENT.map(([path, , trace]) => [path, trace]), ['/none', undefined]]),
    );
  });

  test.each([
    [ONE, SENT.filter(([, , trace]) => trace === ONE).map(([path]) => path)],
    [OTHER, ['/other']],
    ['1'.repeat(32), []],
  ])('the trace %s', async (trace, paths) => {
    const { json } = await two.api('GET', `/${id}/requests?trace=${trace}`);
    expect(json.data.map(({ path }: { path: string }) => path)).toEqual(paths.toReversed());
    expect(json.total).toBe(paths.length);
    const archive = await two.api('GET', `/${id}/requests?trace=${trace}&format=har`);
    expect(archive.json.log.entries).toHaveLength(paths.length);
    const match = { trace, method: 'GET' };
    expect(await two.data('POST', `/${id}/verify`, { match, exactly: paths.length })).toMatchObject({ verified: true });
  });

  test('what came instead is told', async () => {
    const { closest } = await two.data('POST', `/${id}/verify`, { match: { path: '/other', trace: ONE } });
    expect(closest[0]).toMatchObject({
      path: '/other',
      traceId: OTHER,
      differences: [{ path: '/match/trace', expected: ONE, actual: [OTHER] }],
    });
  });

  test.each([ONE.toUpperCase(), ONE.slice(1), `00-${ONE}-${PARENT}-01`, ''])('%j is refused', async (trace) => {
    const listed = await two.api('GET', `/${id}/requests?trace=${trace}`);
    expect(listed).toMatchObject({ status: 400, json: { details: [{ path: 'trace' }] } });
    const verified = await two.api('POST', `/${id}/verify`, { match: { trace } });
    expect(verified).toMatchObject({ status: 400, json: { details: [{ path: '/match/trace' }] } });
  });
});
