/** A client of the mocks API, and of mocks: one request at a time over connections that stay open. */
import { Agent, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Service } from './processes.ts';

/** Of a mock or of a staged route, what the benchmarks look at. */
interface Created {
  readonly id: string;
}

export interface StagedRoute {
  readonly id: string;
  readonly responses: readonly { readonly id: string }[];
}

export class MocksClient {
  readonly #service: Service;
  readonly #key: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(service: Service, key: string) {
    this.#service = service;
    this.#key = key;
  }

  /** Creates a mock that runs. @returns Its id. */
  async create(name: string, routes: readonly object[], settings: object = {}): Promise<string> {
    return (await this.call<Created>('POST', '', { name, routes, settings, start: true })).id;
  }

  /** @param path Behind `/mocks`. @returns The answer's `data`. */
  async call<Data>(method: string, path: string, body?: object): Promise<Data> {
    const headers = { 'x-api-key': this.#key, 'content-type': 'application/json' };
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const answer = await this.#send(this.#service.port, method, `/v1/mocks${path}`, headers, payload);
    return (JSON.parse(answer) as { data: Data }).data;
  }

  /** @returns The body of the mock's answer. */
  get(mockId: string, path: string): Promise<string> {
    const { port } = this.#service.mocks;
    return this.#send(port, 'GET', path, { host: mockHost(mockId, port) });
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(
    port: number,
    method: string,
    path: string,
    headers: Record<string, string>,
    payload?: string,
  ): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, method, path, headers, agent: this.#agent };
      const request = httpRequest(options, (response) => {
        text(response).then((body) => {
          if (response.statusCode === 200) resolve(body);
          else reject(new Error(`${method} ${path} was answered with ${response.statusCode}: ${body}`));
        }, reject);
      });
      request.on('error', reject);
      request.end(payload);
    });
  }
}

export function mockHost(mockId: string, port: number): string {
  return `${mockId}.localhost:${port}`;
}
