/**
 * Browser contexts at once, each in a session of the gateway with rules and mocks of its own, over one server that renders pages and passes
 * `baggage` on to a third party: no answer, rule or count of another session. Without a browser, as many clients take the contexts' place.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetch, ProxyAgent, type Dispatcher } from 'undici';
import { createClient, type Client, type GatewaySession, type ProxySettings } from '../../../src/client/index.ts';
import { theBrowser } from '../../browser/support/chromium.ts';
import { findChromium } from '../../browser/support/find-chromium.ts';
import { TestServer } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const SESSIONS: Record<Effort, number> = { short: 6, full: 50 };
const ROUNDS: Record<Effort, number> = { short: 2, full: 10 };
const SECONDS: Record<Effort, number> = { short: 20, full: 120 };

/** Fifty pages at once take long on a busy machine. */
const PAGE_MS = 120_000;

/** Attached to a mock; the server under test asks it. */
const THIRD_PARTY = 'stock.example.com';
/** Answered by a rule; the page asks it. */
const OFFER = 'http://offers.example.com/offer';

export const proof: Proof = {
  name: 'gateway-sessions',
  promise: 'Tests at once, each in a session of the gateway, get no answer, rule or count of each other.',
  async run(tally: Tally, effort: Effort) {
    const server = await TestServer.start(['--gateway-port', '0', '--log-level', 'silent', '--workers', '2']);
    const key = await server.key('acme');
    const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
    const { id: mockId } = await client.mocks.create({
      name: 'Stock',
      start: true,
      routes: [{ id: 'left', method: 'GET', path: '/left', responses: [{ body: 'nobody' }] }],
    });
    await client.gateway.settings.put({ attach: [{ host: THIRD_PARTY, mockId }] });
    const app = await startShop(await client.gateway.proxyFor());
    const address = `http://127.0.0.1:${(app.address() as AddressInfo).port}/`;
    const visitors = await (findChromium() === undefined ? clientsOf(address) : contextsOf(address));
    const sessions = await Promise.all(
      Array.from({ length: SESSIONS[effort] }, (_, index) => openSession(client, mockId, address, index)),
    );
    const visits = await Promise.all(sessions.map((session) => visitors.visitor(session.proxy)));

    const at = `of ${sessions.length} sessions at once, by ${visitors.what}`;
    let rounds = 0;
    for (const round of tally.within(SECONDS[effort], 'rounds', [...Array(ROUNDS[effort]).keys()])) {
      rounds++;
      const pages = await Promise.all(visits.map((visit) => visit()));
      for (const [index, page] of pages.entries()) {
        const expected = `left ${index} by ${index}, offer ${index}`;
        tally.check(`a page ${at}`, page === expected, () => `session ${index}, round ${round}: ${page}`);
      }
    }
    for (const [headers, expected] of [
      [{}, 'nobody by nobody'],
      [{ baggage: 'mock-session=s999' }, '404'],
    ] as const) {
      const page = await (await fetch(address, { headers })).text();
      tally.check('a page of no session', page.startsWith(expected), () => `${JSON.stringify(headers)}: ${page}`);
    }
    for (const [index, session] of sessions.entries()) {
      const found = await countsOf(session, mockId);
      const expected = { attached: rounds, pages: rounds, offers: rounds, rules: 2 * rounds, mock: rounds };
      const isRight = JSON.stringify(found) === JSON.stringify(expected);
      tally.check(`the counts ${at}`, isRight, () => `session ${index}, ${rounds} rounds: ${JSON.stringify(found)}`);
    }
    await visitors.close();
    await Promise.all(sessions.map((session) => session.end()));
    app.closeAllConnections();
    app.close();
    await server.end();
  },
};

/** A server under test: its proxy names no session, and it passes `baggage` on. */
async function startShop(proxy: ProxySettings): Promise<Server> {
  const dispatcher = agentOf(proxy);
  const app = createServer(({ headers: { baggage } }, response) => {
    const headers = baggage === undefined ? {} : { baggage: String(baggage) };
    void fetch(`http://${THIRD_PARTY}/left`, { dispatcher, headers })
      .then(
        async (answer) =>
          `${answer.status === 200 ? '' : `${answer.status} `}${await answer.text()} by ${answer.headers.get('x-by') ?? 'nobody'}`,
      )
      .catch(String)
      .then((text) => {
        response.setHeader('content-type', 'text/html');
        response.end(text);
      });
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  app.on('close', () => void dispatcher.close());
  return app;
}

/** Its mock, a rule on what the server asks, and one on what the page asks say whose they are. */
function openSession(client: Client, mockId: string, address: string, index: number): Promise<GatewaySession> {
  const source = (value: string) => ({ key: 'host', operator: 'Equals', value });
  return client.gateway.session({
    id: `s${index}`,
    overlay: {
      propagate: [new URL(address).host],
      mocks: { [mockId]: { responses: { left: { body: `left ${index}` } } } },
      rules: [
        {
          name: 'by',
          ruleType: 'Headers',
          pairs: [
            {
              source: source(THIRD_PARTY),
              modifications: { Response: [{ header: 'x-by', value: String(index), type: 'Add' }] },
            },
          ],
        },
        {
          name: 'offer',
          ruleType: 'Response',
          pairs: [
            {
              source: source(new URL(OFFER).host),
              response: { type: 'static', value: `offer ${index}`, serveWithoutRequest: true },
            },
          ],
        },
      ],
    },
  });
}

interface Visitors {
  readonly what: string;
  /** @returns What asks for the page, and what the page asks for: both answers as one text. */
  readonly visitor: (proxy: ProxySettings) => Promise<() => Promise<string>>;
  readonly close: () => Promise<void>;
}

async function contextsOf(address: string): Promise<Visitors> {
  const browser = await theBrowser();
  return {
    what: 'contexts of a browser',
    async visitor(proxy) {
      const page = await (await browser.newContext({ proxy })).newPage();
      page.setDefaultTimeout(PAGE_MS);
      return async () => {
        await page.goto(address);
        return page.evaluate<string>(
          `fetch('${OFFER}').then(async (answer) => document.body.innerText + ', ' + (await answer.text()))`,
        );
      };
    },
    close: () => browser.close(),
  };
}

function clientsOf(address: string): Promise<Visitors> {
  const agents: ProxyAgent[] = [];
  const textOf = async (url: string, dispatcher: Dispatcher) => (await fetch(url, { dispatcher })).text();
  return Promise.resolve({
    what: 'clients, as there is no browser',
    visitor(proxy) {
      const agent = agentOf(proxy);
      agents.push(agent);
      return Promise.resolve(async () => `${await textOf(address, agent)}, ${await textOf(OFFER, agent)}`);
    },
    close: async () => void (await Promise.all(agents.map((agent) => agent.close()))),
  });
}

function agentOf({ server, username, password }: ProxySettings): ProxyAgent {
  return new ProxyAgent({ uri: server, token: `Basic ${btoa(`${username}:${password}`)}` });
}

/** A browser asks for an icon, too, which belongs to neither. */
async function countsOf(session: GatewaySession, mockId: string): Promise<Record<string, number>> {
  const { records } = await session.requests({ limit: LIMIT });
  const count = (holds: (url: URL) => boolean): number => records.filter(({ url }) => holds(new URL(url))).length;
  const { rules } = await session.counts();
  return {
    attached: count(({ host }) => host === THIRD_PARTY),
    pages: count(({ hostname, pathname }) => hostname === '127.0.0.1' && pathname === '/'),
    offers: count(({ href }) => href === OFFER),
    rules: Object.values(rules).reduce((sum, hits) => sum + hits, 0),
    mock: (await session.mock(mockId).counts()).total,
  };
}

const LIMIT = 100;
