/**
 * Sends the table of malformed-requests.ts to both planes of a real server, and looks for the traces that it left.
 *
 * What should be run goes to an owner and a mock of its own, everything else to another owner and mock: nothing of these may change.
 */
import { createHash } from 'node:crypto';
import { MALFORMED_REQUESTS, SPLIT_ROWS, type Outcome, type RawRow, type Target } from './malformed-requests.ts';
import { atMost, exchange, sendAndLeave, told } from './raw-exchange.ts';
import { knownKey, rawRequest } from './raw-http.ts';
import { TestServer } from './server.ts';

/** Connections at once of the table, and of the splits; a process may have a thousand descriptors. */
const CONNECTIONS = 350;

export type Plane = 'api' | 'mock';
export const PLANES: readonly Plane[] = ['api', 'mock'];

/** What a row was answered, against what the table says. */
export interface Taken {
  readonly row: string;
  readonly plane: Plane;
  readonly seen: string;
  /** What the table says. */
  readonly pinned: string;
}

interface Side {
  readonly key: string;
  readonly mockId: string;
}

export class MalformedRun {
  readonly server: TestServer;
  /** Whoever gets what should be run, and whoever gets the rest. */
  readonly #runs: Side;
  readonly #refused: Side;
  readonly #before: string;
  /** Traces that there must be, and those beside them that there may be: of requests whose client left without waiting for the answer. */
  readonly #expected: Record<Plane, number> = { api: 0, mock: 0 };
  readonly #possible: Record<Plane, number> = { api: 0, mock: 0 };

  private constructor(server: TestServer, runs: Side, refused: Side, before: string) {
    this.server = server;
    this.#runs = runs;
    this.#refused = refused;
    this.#before = before;
  }

  static async start(): Promise<MalformedRun> {
    const server = await TestServer.start(['--workers', '2', '--log-level', 'warn']);
    const runs = await newSide(server, 'runs');
    const refused = await newSide(server, REFUSED);
    for (const path of ['/v1/groups', '/v1/rules']) {
      const body = { name: 'stays', ruleType: 'Cancel', pairs: [{ source: SOURCE }] };
      await server.request('POST', path, { key: refused.key, body });
    }
    return new MalformedRun(server, runs, refused, await stateOf(server, refused));
  }

  /**
   * Every row as it is, and, where nothing behind it may be run, with a request behind it: all in one packet, the request in the next,
   * and the row's body with the request in the next.
   */
  async table(): Promise<Taken[]> {
    // Those that wait take the longest.
    const rows = MALFORMED_REQUESTS.toSorted((a, b) => Number(b.api.end === 'waits') - Number(a.api.end === 'waits'));
    const tasks = rows.flatMap((row) =>
      PLANES.flatMap((plane) => {
        const { end } = row[plane];
        const asIs = (): Promise<Taken> => this.#take(row, plane, (bytes) => [bytes]);
        if (end === 'open' || !row.guardsTail) return [asIs];
        const bytes = row.bytes(this.#target(plane, row[plane]));
        const cuts = new Set([0, bytes.length, headEnd(bytes)]);
        return [asIs, ...Array.from(cuts, (cut) => () => this.#trail(row, plane, cut))];
      }),
    );
    const taken = await atMost(CONNECTIONS, tasks);
    return taken.filter((each) => each !== undefined);
  }

  /** The rows that are to be split, in two packets cut at every `step`th byte. */
  async splits(step: number): Promise<Taken[]> {
    const rows = SPLIT_ROWS.map((what) => MALFORMED_REQUESTS.find((row) => row.what === what) as RawRow);
    return this.#cut(rows, ({ length }, index) =>
      Array.from({ length: length - 1 }, (_, at) => at + 1).filter((at) => (at + index) % step === 0),
    );
  }

  /** Rows with a body that leave the connection open, in two packets: the head, and the body. */
  async bodiesApart(): Promise<Taken[]> {
    const rows = MALFORMED_REQUESTS.filter(({ api, mock }) => api.end === 'open' && mock.end === 'open');
    return this.#cut(rows, (bytes) => [headEnd(bytes)].filter((at) => at < bytes.length));
  }

  /** What is wrong with the traces: of what was run too few or too many, of the rest any. Called last, since it ends the server. */
  async wrongTraces(): Promise<string[]> {
    const { server } = this;
    const wrong: string[] = [];
    const groups = (await server.request('GET', '/v1/groups', { key: this.#runs.key })).json.total as number;
    if (!this.#fits('api', groups)) wrong.push(`${groups} groups were made by ${this.#expected.api} requests`);
    const requests = await countOf(server, this.#runs);
    if (!this.#fits('mock', requests)) wrong.push(`${requests} requests of ${this.#expected.mock} reached a mock`);
    const after = await stateOf(server, this.#refused);
    if (after !== this.#before) wrong.push(`the state was ${this.#before} and is ${after}`);
    const history = await server.request('GET', '/v1/history', { key: this.#refused.key });
    const commits = (history.json.data as unknown[]).length;
    if (commits !== REFUSED_COMMITS) wrong.push(`the history has ${commits} entries, not ${REFUSED_COMMITS}`);
    const status = await server.end();
    if (status !== 0 || server.stderr !== '') wrong.push(`the server ended with ${status}: ${server.stderr}`);
    return wrong;
  }

  /** Runs on either plane what should not be run: `wrongTraces` must tell of it. */
  async leaveTrace(): Promise<void> {
    for (const plane of PLANES) await sendAndLeave(this.#port(plane), [this.#targetOf(plane, this.#refused).second]);
  }

  async #take(row: RawRow, plane: Plane, cut: (bytes: string) => string[], at?: number): Promise<Taken> {
    const expected = row[plane];
    const target = this.#target(plane, expected);
    const bytes = row.bytes(target);
    const seen = await exchange(this.#port(plane), cut(bytes), expected, probe(target.host));
    if (leavesTrace(plane, expected, bytes)) this.#expected[plane]++;
    const what = at === undefined ? row.what : `${row.what}, cut after ${at} bytes`;
    return { row: what, plane, seen, pinned: told(expected) };
  }

  async #trail(row: RawRow, plane: Plane, cut: number): Promise<undefined> {
    const expected = row[plane];
    const target = this.#target(plane, expected);
    const bytes = row.bytes(target);
    // The request behind never goes where traces are expected.
    const { second } = this.#targetOf(plane, this.#refused);
    const all = bytes + second;
    await sendAndLeave(this.#port(plane), cut === 0 ? [all] : [all.slice(0, cut), all.slice(cut)]);
    if (leavesTrace(plane, expected, bytes)) this.#possible[plane]++;
  }

  /** @param cutsOf After how many bytes the second packet begins. */
  #cut(rows: readonly RawRow[], cutsOf: (bytes: string, index: number) => number[]): Promise<Taken[]> {
    const tasks = rows.flatMap((row, index) =>
      PLANES.flatMap((plane) => {
        const cuts = cutsOf(row.bytes(this.#target(plane, row[plane])), index);
        return cuts.map((cut) => () => this.#take(row, plane, (bytes) => [bytes.slice(0, cut), bytes.slice(cut)], cut));
      }),
    );
    return atMost(CONNECTIONS, tasks);
  }

  #fits(plane: Plane, traces: number): boolean {
    const least = this.#expected[plane];
    return traces >= least && traces <= least + this.#possible[plane];
  }

  #port(plane: Plane): number {
    return plane === 'api' ? this.server.port : this.server.mockPort;
  }

  #target(plane: Plane, { runs }: Outcome): Target {
    const target = this.#targetOf(plane, runs ? this.#runs : this.#refused);
    return { ...target, second: this.#targetOf(plane, this.#refused).second };
  }

  #targetOf(plane: Plane, { key, mockId }: Side): Target {
    const host = plane === 'api' ? `localhost:${this.server.port}` : `${mockId}.localhost:${this.server.mockPort}`;
    const body = '{"name":"second"}';
    const lines = [`Host: ${host}`, `x-api-key: ${key}`, `Content-Length: ${body.length}`];
    return { host, key, second: rawRequest('POST /v1/groups HTTP/1.1', lines, body) };
  }
}

const REFUSED = 'refused';
/** A mock, a group and a rule. */
const REFUSED_COMMITS = 3;
const SOURCE = { key: 'Url', operator: 'Contains', value: 'x' };

/** Where the body begins; the length where there is none. */
function headEnd(bytes: string): number {
  const at = bytes.indexOf('\r\n\r\n');
  return at === -1 ? bytes.length : at + 4;
}

function leavesTrace(plane: Plane, { runs }: Outcome, bytes: string): boolean {
  return runs && (plane === 'mock' || bytes.startsWith('POST '));
}

/** Answered by either plane without a trace: the API says that it is alive, a mock answers a preflight. */
function probe(host: string): string {
  const lines = [`Host: ${host}`, 'Origin: http://a.example', 'Access-Control-Request-Method: GET'];
  return rawRequest('OPTIONS /v1/groups HTTP/1.1', lines);
}

async function newSide(server: TestServer, ownerId: string): Promise<Side> {
  const key = await knownKey(server, ownerId);
  const routes = [{ method: 'ANY', path: '/*', responses: [{ body: 'ok' }] }];
  const { json } = await server.request('POST', '/v1/mocks', { key, body: { name: ownerId, start: true, routes } });
  return { key, mockId: json.data.id as string };
}

async function countOf(server: TestServer, { key, mockId }: Side): Promise<number> {
  const { json } = await server.request('GET', `/v1/mocks/${mockId}/counts`, { key });
  return json.data.total as number;
}

/** What an owner has: how many requests reached its mock, and a digest of the rest. */
async function stateOf(server: TestServer, side: Side): Promise<string> {
  const { key } = side;
  const hash = createHash('sha256');
  for (const path of ['/v1/groups', '/v1/rules', '/v1/mocks', `/v1/mocks/${side.mockId}/requests`]) {
    hash.update(JSON.stringify((await server.request('GET', path, { key })).json));
  }
  const requests = await countOf(server, side);
  return `${requests} requests, ${hash.digest('hex').slice(0, 16)}`;
}
