/** A fixture to copy: each test has a session of the mock of its own, however many tests run at once. */
import { createClient, type MockSession } from 'switchyard';
import { inject, test as base } from 'vitest';

const { apiUrl, key, mockId } = inject('shop');
const client = createClient({ apiUrl, key });

export const test = base.extend<{ shop: MockSession }>({
  shop: async ({ task }, use) => {
    const session = await client.mocks.session(mockId, { label: task.name });
    await use(session);
    await session.end();
  },
});
