/** A mock of a recipe on the server of a test, and what its tests have in common. */
import { createClient, type MockSession } from 'switchyard-server';
import type { RecipeName } from '../../../src/interchange/recipes.ts';
import type { TestServer } from '../../support/server.ts';

export interface RecipeMock {
  readonly url: string;
  session(): Promise<MockSession>;
}

export async function importRecipe({ port }: TestServer, key: string, name: RecipeName): Promise<RecipeMock> {
  const { mocks } = createClient({ apiUrl: `http://127.0.0.1:${port}/v1`, key });
  const { mocks: made, report } = await mocks.importRecipe(name, { start: true });
  const [mock] = made;
  if (mock === undefined || report.entries.length > 0) throw new Error(`${name}: ${JSON.stringify(report.entries)}`);
  return { url: mocks.urlFor(mock), session: () => mocks.session(mock.id) };
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export async function requestsOf(session: MockSession): Promise<number> {
  return (await session.counts()).total;
}
