/**
 * `switchyard-server/playwright`: sessions of the mocks for each test, which its browser context carries.
 *
 * `baggage` goes to named origins only. `extraHTTPHeaders` would send it to every third party, and its preflights would fail.
 */
import { expect as baseExpect, test as base, type BrowserContext } from '@playwright/test';
import { haveBeenRequested, NO_GATEWAY, startRun, TestMocks, type RequestedOptions } from './fixture.ts';
import type { GatewayOverlayInput, GatewaySession, Match, MockSession, StartOptions } from './index.ts';

export interface MockFixtures {
  /** The sessions of the test. Every test with a browser context has them, whether it names this fixture or not. */
  mocks: TestMocks;
  /** Origins that get `baggage`, beside those of the mocks; that of `baseURL` by default. */
  mockOrigins: readonly string[] | undefined;
  /**
   * The session of the gateway, which the requests of the test's browser context and of `request` go through. Only with a server that has
   * a gateway.
   */
  gateway: GatewaySession;
  /** Changes of the gateway for a test. `propagate` is the origins that get `baggage`, unless it is given. */
  gatewayOverlay: GatewayOverlayInput | undefined;
}

export interface MockWorkerFixtures {
  /** A server that each worker starts, unless SWITCHYARD_SERVER names one: `{ gateway: true, mocks: ['shop.json'] }`. */
  switchyard: StartOptions | undefined;
  /** That server. */
  switchyardServer: void;
}

/** Playwright's `test` with the fixtures `mocks` and `gateway`, and a `context` that names their sessions. */
export const test = base.extend<MockFixtures, MockWorkerFixtures>({
  switchyard: [undefined, { option: true, scope: 'worker' }],
  switchyardServer: [
    async ({ switchyard }, use) => {
      const stop = switchyard === undefined ? undefined : await startRun(switchyard);
      await use();
      await stop?.();
    },
    { scope: 'worker', auto: true },
  ],
  mockOrigins: [undefined, { option: true }],
  gatewayOverlay: [undefined, { option: true }],
  mocks: async ({ gatewayOverlay, mockOrigins, baseURL }, use, testInfo) => {
    const propagate = originsOf({ baseURL, mockOrigins }).map((origin) => new URL(origin).host);
    const mocks = await TestMocks.open(testInfo.titlePath.slice(1).join(' '), gatewayOverlay, propagate);
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
  gateway: async ({ mocks }, use) => {
    if (mocks.gateway === undefined) throw new Error(NO_GATEWAY);
    await use(mocks.gateway);
  },
  // Options of the browser context, and of `request`.
  proxy: async ({ proxy, mocks }, use) => use(mocks.gateway?.proxy ?? proxy),
  ignoreHTTPSErrors: async ({ ignoreHTTPSErrors, mocks }, use) => use(mocks.gateway !== undefined || ignoreHTTPSErrors),
  context: async ({ context, mocks, mockOrigins, baseURL }, use) => {
    // The gateway knows whose proxy it is, and names the session itself.
    if (mocks.gateway === undefined) await carrySessions(context, mocks, { baseURL, mockOrigins });
    await use(context);
  },
});

interface Carried {
  readonly baseURL?: string | undefined;
  readonly mockOrigins?: readonly string[] | undefined;
}

/** Makes the pages of a context name the sessions: for contexts that a test opens itself. */
export async function carrySessions(context: BrowserContext, mocks: TestMocks, to: Carried = {}): Promise<void> {
  const { baseURL } = to;
  const origins = new Set(originsOf(to));
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

function originsOf({ baseURL, mockOrigins = baseURL === undefined ? [] : [baseURL] }: Carried): string[] {
  return mockOrigins.map((each) => new URL(each).origin);
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
