import { expect, test } from 'vitest';
import { makePool } from '../../src/forward/pool.ts';

test.each(['http', 'https'])(
  'over %s a port that nobody listens at fails its requests, and no more',
  async (scheme) => {
    const pool = makePool(`${scheme}://127.0.0.1:1`, { connect: { timeout: 1_000 } });
    await expect(pool.request({ method: 'GET', path: '/' })).rejects.toThrow('ECONNREFUSED');
    await pool.close();
  },
);
