/** A real server for the tests of one file, behind a proxy that can fail; people with keys, and the pages that they open. */
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createClient, type Client } from '../../../src/client/index.ts';
import type { Role } from '../../../src/model/principal.ts';
import { TestServer } from '../../support/server.ts';
import { FaultProxy } from './fault-proxy.ts';
import { openPage } from './open-page.ts';
import { signIn } from './sign-in.ts';
import type { PageOptions } from './watched-page.ts';

export interface Person {
  readonly owner?: string;
  readonly user?: string;
  readonly role?: Role;
}

export class Site {
  /** Every page reaches the server through it. */
  readonly faults: FaultProxy;
  readonly #keys = new Map<string, Promise<string>>();
  readonly #suffix: string;
  #server: TestServer | undefined;

  /** @param suffix Of its owners: other files use the same server, and may call theirs the same. */
  constructor(suffix: string, faults?: FaultProxy) {
    this.#suffix = suffix;
    this.faults = faults ?? new FaultProxy(() => this.server.port);
  }

  get server(): TestServer {
    if (this.#server === undefined) throw new Error('the site has not started: use it in tests and hooks only');
    return this.#server;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.faults.port}`;
  }

  async start(server: TestServer): Promise<void> {
    this.#server = server;
    await this.faults.up();
  }

  /** Ends the server and starts it again, on the same data; for pages at the same address. */
  async restart(): Promise<void> {
    await this.faults.down();
    await this.server.restart();
    await this.faults.up();
  }

  /** What the server calls an owner of this file. */
  ownerId(owner = 'team'): string {
    return `${owner}${this.#suffix}`;
  }

  key({ owner, role = 'editor', user = role }: Person = {}): Promise<string> {
    const name = JSON.stringify([owner, user, role]);
    const key = this.#keys.get(name) ?? this.server.key(this.ownerId(owner), user, role);
    this.#keys.set(name, key);
    return key;
  }

  /** Past the proxy: its faults are for pages. */
  async client(person: Person = {}): Promise<Client> {
    return createClient({ apiUrl: `http://127.0.0.1:${this.server.port}/v1`, key: await this.key(person) });
  }

  /**
   * A page of the console, with a person signed in.
   *
   * @param place The fragment of its address, such as "#/mocks".
   */
  async open(place: string, options: Person & PageOptions = {}): Promise<Page> {
    const page = await openPage(this.origin, options);
    await signIn(page, this.origin, await this.key(options), place);
    return page;
  }
}

/** One thread suffices for screens. */
const OPTIONS = ['--workers', '1'];

/** The server that the files of this process share, and its address for pages: they have the files of the console already. */
let shared: TestServer | undefined;
const sharedFaults = new FaultProxy(() => shared?.port ?? 0);

/** The file that ends the shared server, or makes it complain, fails. The next file gets another. */
function expectUnharmed(server: TestServer): void {
  if (server.isRunning && server.stderr === '') return;
  shared = undefined;
  expect.fail(`the shared server has ${server.isRunning ? 'complained' : 'ended'}: ${server.stderr}${server.stdout}`);
}

/** For a file that leaves its server as it is. Owners are of the file alone. Each test begins without faults. */
export function useSite(): Site {
  const site = new Site(`-${randomBytes(4).toString('hex')}`, sharedFaults);
  beforeAll(async () => {
    shared ??= await TestServer.startShared(OPTIONS);
    await site.start(shared);
    sharedFaults.requests.length = 0;
  });
  afterEach(() => site.faults.heal());
  afterAll(async () => {
    await site.faults.down();
    expectUnharmed(site.server);
  });
  return site;
}

/** For a file whose server has options, or is restarted: starts it before the tests of the file, and ends it after them. @param args Follow `serve`. */
export function useOwnSite(args: readonly string[] = []): Site {
  const site = new Site('');
  beforeAll(async () => site.start(await TestServer.start([...OPTIONS, ...args])));
  afterEach(() => site.faults.heal());
  afterAll(async () => {
    await site.faults.down();
    expect(await site.server.end()).toBe(0);
    expect(site.server.stderr).toBe('');
  });
  return site;
}
