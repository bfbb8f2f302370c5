/** A real server for the tests of one file, behind a proxy that can fail; people with keys, and the pages that they open. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createClient, type Client } from '../../../src/client/index.ts';
import type { Role } from '../../../src/model/principal.ts';
import { temporaryDirectory, TestServer } from '../../support/server.ts';
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
  readonly faults = new FaultProxy(() => this.server.port);
  readonly #keys = new Map<string, Promise<string>>();
  #server: TestServer | undefined;

  get server(): TestServer {
    if (this.#server === undefined) throw new Error('the site has not started: use it in tests and hooks only');
    return this.#server;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.faults.port}`;
  }

  async start(args: readonly string[], data: string): Promise<void> {
    this.#server = await TestServer.start(['--workers', '1', ...args], data);
    await this.faults.up();
  }

  async end(): Promise<void> {
    await this.faults.down();
    expect(await this.server.end()).toBe(0);
    expect(this.server.stderr).toBe('');
  }

  /** Ends the server and starts it again, on the same data; for pages at the same address. */
  async restart(): Promise<void> {
    await this.faults.down();
    await this.server.restart();
    await this.faults.up();
  }

  key({ owner = 'team', role = 'editor', user = role }: Person = {}): Promise<string> {
    const name = JSON.stringify([owner, user, role]);
    const key = this.#keys.get(name) ?? this.server.key(owner, user, role);
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

/**
 * Starts a server before the tests of the file that calls this, and ends it after them. Each test begins without faults.
 *
 * @param args Follow `serve`.
 * @param prepare Fills the data directory before the server starts.
 */
export function useSite(args: readonly string[] = [], prepare?: (data: string) => Promise<void>): Site {
  const site = new Site();
  beforeAll(async () => {
    const data = temporaryDirectory();
    await prepare?.(data);
    await site.start(args, data);
  });
  afterEach(() => site.faults.heal());
  afterAll(() => site.end());
  return site;
}
