/** Makes a mock record one exchange with an upstream, another mock of the same server. The mock is saved and started by that. */
import { askMock } from './ask-mock.ts';
import type { TestServer } from './server.ts';

type Recorder = Pick<TestServer, 'request' | 'mockPort'>;

export async function recordOnce(server: Recorder, key: string, mockId: string): Promise<void> {
  const { mockPort } = server;
  const send = async (method: string, path: string, body?: unknown): Promise<string> => {
    const { status, json } = await server.request(method, `/v1/mocks${path}`, {
      key,
      ...(body === undefined ? {} : { body }),
    });
    if (status !== 200) throw new Error(`${method} ${path} was answered ${status}: ${JSON.stringify(json)}`);
    return json.data.id;
  };
  const service = await send('POST', '', { name: 'service', start: true });
  const upstream = `http://127.0.0.1:${mockPort}/__mock/${service}`;
  const { settings } = (await server.request('GET', `/v1/mocks/${mockId}/staged`, { key })).json.data;
  const proxy = { upstream, when: 'always', record: true };
  await send('PUT', `/${mockId}/staged`, { settings: { ...settings, proxy } });
  await send('POST', `/${mockId}/save`);
  await send('POST', `/${mockId}/start`);
  await askMock(mockPort, '/', { mock: mockId });
}
