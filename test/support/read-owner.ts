/** Everything the API shows of one owner, as plain data: what must be equal after a restart, an upgrade or a refused request. */
import type { TestServer } from './server.ts';

interface Listed {
  readonly id: string;
}

/**
 * @returns Rules, groups and mocks in order, each mock with its working copy and with every saved version, and the settings of the
 *   gateway.
 */
export async function readOwner(server: TestServer, key: string): Promise<Record<string, unknown>> {
  const mocks = await Promise.all(
    (await list(server, key, 'mocks')).map(async ({ id }) => {
      const versions = (await data(server, key, `/v1/mocks/${id}/versions`)) as { readonly version: number }[];
      return {
        mock: portless(await data(server, key, `/v1/mocks/${id}`)),
        staged: await data(server, key, `/v1/mocks/${id}/staged`),
        versions,
        definitions: await Promise.all(
          versions.map(({ version }) => data(server, key, `/v1/mocks/${id}/versions/${version}`)),
        ),
      };
    }),
  );
  const gateway = await data(server, key, '/v1/gateway/settings');
  return { rules: await list(server, key, 'rules'), groups: await list(server, key, 'groups'), mocks, gateway };
}

async function list(server: TestServer, key: string, kind: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const { json } = await server.request('GET', `/v1/${kind}?pageSize=75&offset=${offset}`, { key });
    all.push(...json.data);
    offset = json.nextOffset;
  }
  return all;
}

async function data(server: TestServer, key: string, path: string): Promise<unknown> {
  const { status, json } = await server.request('GET', path, { key });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(json)}`);
  return json.data;
}

/** Without the port in its addresses, which is another with each start of a test. */
function portless(mock: unknown): unknown {
  return JSON.parse(JSON.stringify(mock).replaceAll(/:\d+(?=[/"])/g, ':PORT'));
}
