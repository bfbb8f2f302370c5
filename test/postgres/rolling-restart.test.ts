/** HAProxy with the configuration of the documents, before real nodes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askAt, randomOf } from './support/cluster.ts';
import { findHaproxy, NO_HAPROXY } from './support/find-haproxy.ts';
import type { Haproxy } from './support/haproxy.ts';
import { LocalCluster } from './support/local-cluster.ts';
import type { TestServer } from '../support/server.ts';

const isThere = findHaproxy() !== undefined;

describe.skipIf(!isThere)(`three nodes behind HAProxy${isThere ? '' : `: ${NO_HAPROXY}`}`, () => {
  let cluster: LocalCluster;
  let haproxy: Haproxy;

  beforeAll(async () => {
    // No node is lost here: however busy the machine is, leases do not end.
    cluster = await LocalCluster.start(3, {}, ['--mock-lease', '15s']);
    haproxy = await cluster.balance();
    await sleep(2_500);
  }, 60_000);
  afterAll(() => cluster.stop());

  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${haproxy.port}/v1${path}`, {
      method,
      headers: { 'x-api-key': cluster.key, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- any answer
    return { status: answer.status, json: (await answer.json()) as any };
  };
  const routes = [{ method: 'GET', path: '/a', responses: [{ body: '{{requestNumber}}', templated: true }] }];
  const makeMock = async (): Promise<string> => {
    const made = await call('POST', '/mocks', { name: 'm', start: true, routes });
    expect(made.status).toBe(200);
    return made.json.data.id as string;
  };
  const through = {
    get mockPort() {
      return haproxy.mockPort;
    },
  } as TestServer;

  test('all addresses of a mock lead to one node, and mocks to all of them', async () => {
    for (let turn = 0; turn < 12; turn++) {
      const id = await makeMock();
      const ask = (headers: Record<string, string>, path = '/a') =>
        fetch(`http://127.0.0.1:${haproxy.mockPort}${path}`, { headers }).then((answer) => answer.text());
      expect(await ask({}, `/__mock/${id}/a`)).toBe('1');
      expect(await ask({ 'x-mock-id': id })).toBe('2');
    }
    const homes = await cluster.primary.query<{ node_id: string }>(
      'select distinct node_id from mock_home',
      cluster.store.split('/').at(-1),
    );
    expect(homes.length).toBeGreaterThan(1);
  });

  test('a rolling restart under load answers no request with an error', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, makeMock));
    for (const id of ids) await askAt(through, id, '/a');
    const state = { goesOn: true };
    const faults: string[] = [];
    let count = 0;
    const mocks = Array.from({ length: 6 }, async () => {
      while (state.goesOn) {
        const { status, text } = await askAt(through, randomOf(ids), '/a').catch((error: Error) => ({
          status: 0,
          text: String(error.cause),
        }));
        count++;
        if (status !== 200) faults.push(`mock: ${status} ${text}`);
      }
    });
    const api = Array.from({ length: 3 }, async () => {
      while (state.goesOn) {
        const { status, json } = await call('POST', '/groups', { name: 'g' }).catch((error: Error) => ({
          status: 0,
          json: String(error.cause),
        }));
        count++;
        // An owner has a bound on groups.
        await sleep(5);
        if (status !== 200) faults.push(`api: ${status} ${JSON.stringify(json)}`);
      }
    });
    for (const node of cluster.nodes) {
      await node.restart();
      await sleep(2_500);
    }
    state.goesOn = false;
    await Promise.all([...mocks, ...api]);
    expect(count).toBeGreaterThan(100);
    expect(faults, cluster.nodes.map(({ stdout }) => stdout).join('')).toEqual([]);
  });
});
