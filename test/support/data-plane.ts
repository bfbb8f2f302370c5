/** A data plane of two threads with the mocks of a test, and requests to it. Its child process is that of the build. */
import { Agent } from 'node:http';
import type {
  MockDefinition,
  MockResponse,
  MockRoute,
  MockSettings,
  PublishedMock,
} from '../../src/model/mocks/definition/definition.ts';
import { LocalPublisher } from '../../src/cluster/publisher.ts';
import type { HomeParts } from '../../src/cluster/mock-homes.ts';
import type { DataPlaneOptions } from '../../src/serving/supervisor/data-plane-options.ts';
import { DataPlane } from '../../src/serving/supervisor/data-plane.ts';
import { askMock, type Ask, type MockReply } from './ask-mock.ts';
import { DEFAULT_SETTINGS, route as specified } from './mocks.ts';

export { response } from './mocks.ts';

export class TestPlane {
  readonly committed = new Map<string, PublishedMock>();
  readonly loads: string[] = [];
  readonly log: string[] = [];
  plane!: DataPlane;
  /** What is committed here takes the place of a store. */
  readonly #publisher = new LocalPublisher(() => {
    const publishedMock = async (mockId: string) => this.committed.get(mockId);
    const ownerOf = async (mockId: string) => this.committed.get(mockId)?.ownerId;
    const parts = {
      store: { publishedMock, ownerOf },
      dataPlane: this.plane,
      sessions: { endAllBut: () => undefined },
    };
    return parts as unknown as HomeParts;
  });
  /** Resolves before a definition is handed out. */
  beforeLoad: (mockId: string) => Promise<void> = async () => undefined;

  static async start(
    options: Partial<DataPlaneOptions> = {},
    mocks: readonly PublishedMock[] = [],
  ): Promise<TestPlane> {
    const test = new TestPlane();
    for (const each of mocks) test.committed.set(each.mockId, each);
    const note = (fields: object, message: string): void => void test.log.push(`${message} ${JSON.stringify(fields)}`);
    test.plane = await DataPlane.start({
      host: '127.0.0.1',
      port: 0,
      workers: 2,
      mockDomain: 'localhost',
      sharedDomains: ['localhost'],
      definitions: async (mockId) => {
        test.loads.push(mockId);
        const read = test.committed.get(mockId);
        await test.beforeLoad(mockId);
        return read;
      },
      directory: () => test.committed.values(),
      log: { warn: note, error: note },
      ...options,
    });
    return test;
  }

  get port(): number {
    return this.plane.port;
  }

  /** Commits and publishes, as a save does. */
  publish(published: PublishedMock): Promise<boolean> {
    this.committed.set(published.mockId, published);
    return this.#publisher.publish(published.mockId, {});
  }

  remove(mockId: string): Promise<boolean> {
    this.committed.delete(mockId);
    return this.#publisher.publish(mockId, {});
  }

  /** One request; `mock` goes into the Host. */
  ask(path: string, ask: Ask = {}): Promise<MockReply> {
    return askMock(this.port, path, ask);
  }

  /** The text of an answer that must be there. */
  async text(path: string, ask: Ask = {}): Promise<string> {
    return (await this.ask(path, ask)).text;
  }
}

/** Resolves when a process has ended. */
export async function gone(pid: number): Promise<boolean> {
  for (
    const until = performance.now() + 5_000;
    performance.now() < until;
    await new Promise((r) => setTimeout(r, 20))
  ) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
  }
  return false;
}

/** Connections that are used again, many requests at once. */
export function keepAlive(maxSockets: number): Agent {
  return new Agent({ keepAlive: true, maxSockets });
}

/** A route for GET, unless `more` names another method. */
export function route(path: string, responses: readonly MockResponse[], more: Partial<MockRoute> = {}): MockRoute {
  return specified(`GET ${path}`, [...responses], more);
}

export function mock(
  mockId: string,
  routes: readonly MockRoute[],
  more: { version?: number; state?: 'running' | 'stopped'; settings?: Partial<MockSettings> } = {},
): PublishedMock {
  const definition: MockDefinition = { settings: { ...DEFAULT_SETTINGS, ...more.settings }, routes };
  return {
    mockId,
    ownerId: 'acme',
    createdVersion: 1,
    state: more.state ?? 'running',
    version: more.version ?? 1,
    definition,
  };
}
