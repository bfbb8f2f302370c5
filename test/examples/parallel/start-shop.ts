/** Runs once, before all workers of vitest: starts a server, and makes the mock that all tests share. */
import { startSwitchyard } from 'switchyard-server';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly shop: {
      readonly apiUrl: string;
      readonly key: string;
      readonly mockId: string;
    };
  }
}

export default async function startShop(project: TestProject): Promise<() => Promise<void>> {
  const { apiUrl, key, client, stop } = await startSwitchyard();
  const { id: mockId } = await client.mocks.create({
    id: 'shop',
    name: 'shop',
    start: true,
    routes: [
      { id: 'charge', method: 'POST', path: '/charges', responses: [{ status: 201, body: '{"status":"paid"}' }] },
      {
        method: 'GET',
        path: '/jobs/:id',
        selection: 'sequential',
        responses: [{ body: 'queued' }, { body: 'running' }, { body: 'done' }],
      },
    ],
  });
  project.provide('shop', { apiUrl, key, mockId });
  return stop;
}
