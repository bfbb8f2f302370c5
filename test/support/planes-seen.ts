/**
 * What both planes of a real server made of bytes on a connection: the API by its log, a mock by its traffic.
 *
 * A lane is an owner and a mock, and asks one thing at a time: so everything that its key, or the id of its question, is found with
 * belongs to that question.
 */
import type { SeenRequest } from './http-oracle.ts';
import { RawConnection, knownKey } from './raw-http.ts';
import { TestServer } from './server.ts';

const MARK = 'mark-';

/** A connection that neither answers nor closes is left: time for what is answered on a later turn. */
const PATIENCE_MS = 15;

interface LogLine {
  readonly id: string;
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly owner: string | null;
}

export interface Lane {
  readonly key: string;
  readonly owner: string;
  readonly mockId: string;
  /** Of the API, since the lane's question. */
  lines: LogLine[];
  /** Number of the last request to the mock that was looked at. */
  lastNumber: number;
}

interface SeenRecord {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly bodyEncoding?: 'base64';
}

export class SeenPlanes {
  readonly server: TestServer;
  readonly lanes: Lane[] = [];
  readonly #byOwner = new Map<string, Lane>();
  readonly #byQuestion = new Map<string, Lane>();
  /** Lines of requests that no question can be found for. */
  readonly strays: string[] = [];
  #rest = '';
  #asked = 0;

  private constructor(server: TestServer) {
    this.server = server;
  }

  static async start(laneCount: number): Promise<SeenPlanes> {
    // Probes, which mark places in the log, are logged at debug.
    const server = await TestServer.start(['--workers', '1', '--log-level', 'debug']);
    const planes = new SeenPlanes(server);
    for (let index = 0; index < laneCount; index++) {
      const owner = `lane${index}`;
      const key = await knownKey(server, owner);
      const routes = [{ method: 'ANY', path: '/*', responses: [{ body: 'ok' }] }];
      const body = { name: owner, start: true, routes, settings: { cors: false } };
      const { json } = await server.request('POST', '/v1/mocks', { key, body });
      const lane: Lane = { key, owner, mockId: json.data.id as string, lines: [], lastNumber: 0 };
      planes.lanes.push(lane);
      planes.#byOwner.set(owner, lane);
    }
    for (const lane of planes.lanes) await planes.#logged(lane);
    planes.strays.length = 0;
    return planes;
  }

  get apiHost(): string {
    return `localhost:${this.server.port}`;
  }

  mockHost({ mockId }: Lane): string {
    return `${mockId}.localhost`;
  }

  /** @param id The one that the requests carry. @returns Methods of the requests that were run, or refused for another reason than their form. */
  async askApi(lane: Lane, id: string, bytes: Buffer): Promise<string[]> {
    this.#byQuestion.set(id, lane);
    this.#readLog();
    lane.lines = [];
    await this.#send(this.server.port, bytes);
    await this.#logged(lane);
    this.#byQuestion.delete(id);
    return lane.lines.filter((line) => !line.id.startsWith(MARK) && isTaken(line)).map(({ method }) => method);
  }

  /** @returns The requests that were recorded, in order. */
  async askMock(lane: Lane, bytes: Buffer): Promise<SeenRequest[]> {
    await this.#send(this.server.mockPort, bytes);
    const path = `/v1/mocks/${lane.mockId}/requests?limit=30`;
    const { json } = await this.server.request('GET', path, { key: lane.key, headers: { 'x-request-id': 'look' } });
    const recorded = json.data as (SeenRecord & { readonly id: string })[];
    const news = recorded.filter(({ id }) => Number(id) > lane.lastNumber).toReversed();
    lane.lastNumber = Number(recorded[0]?.id ?? lane.lastNumber);
    return news.map(({ method, path: below, query, body, bodyEncoding }) => ({
      method,
      url: query === '' ? below : `${below}?${query}`,
      // The oracle replaces what is no UTF-8.
      body: bodyEncoding === 'base64' ? Buffer.from(body, 'base64').toString() : body,
    }));
  }

  /** Resolves when the log has been read up to now. */
  async #logged(lane: Lane): Promise<void> {
    const mark = `${MARK}${++this.#asked}`;
    this.#byQuestion.set(mark, lane);
    await this.server.request('GET', '/healthz', { headers: { 'x-request-id': mark } });
    while (!lane.lines.some((line) => line.id === mark)) {
      this.#readLog();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    this.#byQuestion.delete(mark);
  }

  async #send(port: number, bytes: Buffer): Promise<void> {
    const connection = await RawConnection.open(port);
    await connection.write(bytes);
    await Promise.race([connection.end(), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    connection.finish();
    await connection.end();
  }

  #readLog(): void {
    const text = this.#rest + this.server.stdout;
    this.server.stdout = '';
    const end = text.lastIndexOf('\n') + 1;
    this.#rest = text.slice(end);
    for (const each of text.slice(0, end).split('\n')) {
      if (!each.startsWith('{')) continue;
      const line = JSON.parse(each) as LogLine;
      if (line.id === undefined || line.id === 'look') continue;
      const lane = this.#byQuestion.get(line.id) ?? this.#byOwner.get(line.owner ?? '');
      if (lane !== undefined) lane.lines.push(line);
      else if (isTaken(line)) this.strays.push(each);
    }
  }
}

/** What is malformed has no route, and is answered 400, or not at all when its client was faster. */
function isTaken({ route, status }: LogLine): boolean {
  return route !== null || (status !== 400 && status !== 0);
}
