/**
 * `switchyard-server/playwright`: sessions of the mocks for each test, which its browser context carries.
 *
 * `baggage` goes to named origins only. `extraHTTPHeaders` would send it to every third party, and its preflights would fail.
 */
import { expect as baseExpect, test as base, type BrowserContext } from '@playwright/test';
import { haveBeenRequested, TestMocks, type RequestedOptions } from './fixture.ts';
import type { Match, MockSession } from './index.ts';

export interface MockFixtures {
  /** The sessions of the test. Every test with a browser context has them, whether it names this fixture or not. */
  mocks: TestMocks;
  /** Origins that get `baggage`, beside those of the mocks; that of `baseURL` by default. */
  mockOrigins: readonly string[] | undefined;
}

/** Playwright's `test` with the fixture `mocks`, and a `context` that names its sessions. */
export const test = base.extend<MockFixtures>({
  mockOrigins: [undefined, { option: true }],
  mocks: async ({}, use, testInfo) => {
    const mocks = await TestMocks.open(testInfo.titlePath.slice(1).join(' '));
    await use(mocks);
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach('mocks', { body: await mocks.report(), contentType: 'text/plain' });
      for (const session of mocks.sessions.values()) {
        const body = await session.requestsAsHar().catch(String);
        await testInfo.attach(`${session.mockId}.har`, { body, contentType: 'application/json' });
      }
    }
    await mocks.end();
  },
  context: async ({ context, mocks, mockOrigins, baseURL }, use) => {
    await carrySessions(context, mocks, { baseURL, mockOrigins });
    await use(context);
  },
});

interface Carried {
  readonly baseURL?: string | undefined;
  readonly mockOrigins?: readonly string[] | undefined;
}

/** Makes the pages of a context name the sessions: for contexts that a test opens itself. */
export async function carrySessions(context: BrowserContext, mocks: TestMocks, to: Carried = {}): Promise<void> {
  const { baseURL, mockOrigins = baseURL === undefined ? [] : [baseURL] } = to;
  const origins = new Set(mockOrigins.map((each) => new URL(each).origin));
  const carries = (url: URL): boolean =>
    origins.has(url.origin) || [...mocks.sessions.values()].some((session) => isOfMock(url, session));
  await context.route(carries, (route) => {
    const headers = route.request().headers();
    const baggage = [headers['baggage'] ?? [], `mock-session=${mocks.id}`].flat().join();
    return route.fallback({ headers: { ...headers, baggage } });
  });
  // Cookies know no ports: on one host, that of the mocks gets it too.
  if (baseURL !== undefined) await context.addCookies([{ name: 'mock-session', value: mocks.id, url: baseURL }]);
}

/** Whether an address is of the port of the mocks, by whichever of its hosts. */
function isOfMock(url: URL, { url: used, record }: MockSession): boolean {
  const [own, shown] = [new URL(used), new URL(record.address.pathUrl)];
  if (url.protocol !== own.protocol || url.port !== own.port) return false;
  return url.hostname === own.hostname || `.${url.hostname}`.endsWith(`.${shown.hostname}`);
}

export const expect = baseExpect.extend({
  toHaveBeenRequested(session: MockSession, match: Match, options?: RequestedOptions) {
    return haveBeenRequested(session, match, options, this.isNot);
  },
});
