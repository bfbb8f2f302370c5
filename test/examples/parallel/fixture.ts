/**
 * A fixture to copy: each test has a session of the mock of its own, however many tests run at once. One that fails prints its seed;
 * `MOCK_SEED=<seed> npx vitest run -t <test>` draws the same again.
 */
import { createClient, type MockSession } from 'switchyard-server';
import { inject, test as base } from 'vitest';

const { apiUrl, key, mockId } = inject('shop');
const client = createClient({ apiUrl, key });
const { MOCK_SEED } = process.env;
const seeded = MOCK_SEED === undefined ? {} : { seed: Number(MOCK_SEED) };

export const test = base.extend<{ shop: MockSession }>({
  shop: async ({ task, onTestFailed }, use) => {
    const session = await client.mocks.session(mockId, { label: task.name, ...seeded });
    onTestFailed(() => console.error(`${task.name}: MOCK_SEED=${session.record.seed}`));
    await use(session);
    await session.end();
  },
});
