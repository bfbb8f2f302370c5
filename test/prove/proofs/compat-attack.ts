/**
 * Who reaches what by WireMock's interface: every endpoint that its root lists, of a mock and of a session, with every kind of key and with
 * secrets of other worlds. A part of the proof `isolation`.
 */
import type { TestServer } from '../../support/server.ts';
import type { Tally } from '../proof.ts';

interface Keys {
  readonly editor: string;
  readonly viewer: string;
  readonly other: string;
  readonly revoked: string;
}

const SETTINGS = { precedence: 'listed', cors: false, sessions: 'auto' };
const MAPPINGS = 'GET /mappings';
/** Asked by POST, and changes nothing. */
const READS = /\/(?:count|find|find-by-metadata|request|request-pattern)$/;

export async function attackCompat(server: TestServer, keys: Keys, tally: Tally): Promise<void> {
  const { editor, viewer, other, revoked } = keys;
  const ask = async (world: string, endpoint: string, key?: string) => {
    const [method = '', path = ''] = endpoint.split(' ');
    const url = `http://127.0.0.1:${server.port}/compat/wiremock/${world}/__admin${path.replaceAll(/:\w+|\*/g, 'x')}`;
    const headers = key === undefined ? {} : { 'x-api-key': key };
    const reply = await fetch(url, {
      method,
      headers,
      ...(method === 'POST' || method === 'PUT' ? { body: '{}' } : {}),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const refused = async (fault: string, world: string, endpoint: string, key?: string): Promise<void> => {
    const { status, text } = await ask(world, endpoint, key);
    const title = (JSON.parse(text) as { errors?: { title?: unknown }[] }).errors?.[0]?.title;
    tally.check(
      fault,
      status === 401 && title === 'Unauthorized action',
      () => `${endpoint} of ${world}: ${status} ${text}`,
    );
  };
  const mockOf = async (key: string) => {
    const body = { name: 'base', start: true, settings: SETTINGS, routes: [] };
    return (await server.request('POST', '/v1/mocks', { key, body })).json.data.id as string;
  };
  const worldOf = async (mock: string, key: string) => {
    const { json } = await server.request('POST', `/v1/mocks/${mock}/sessions`, { key, body: { compat: true } });
    return (json.data.compat.wiremockPath as string).replace('/compat/wiremock/', '');
  };
  const [own, foreign] = [await mockOf(editor), await mockOf(other)];
  const { endpoints } = JSON.parse((await ask(own, 'GET /', editor)).text) as { endpoints: string[] };

  for (const endpoint of endpoints) {
    const isRead = endpoint.startsWith('GET') || READS.test(endpoint);
    for (const world of [own, `${own}/auto`, foreign, `${foreign}/auto`]) {
      for (const key of [undefined, '', 'sy_x', editor.slice(0, -1), revoked])
        await refused("WireMock's interface: keys that open nothing", world, endpoint, key);
    }
    for (const world of [foreign, `${foreign}/auto`])
      await refused("WireMock's interface: another owner's mock", world, endpoint, editor);
    if (!isRead) await refused("WireMock's interface: a viewer's write", `${own}/auto`, endpoint, viewer);
  }

  const [one, two, theirs] = [await worldOf(own, editor), await worldOf(own, editor), await worldOf(foreign, other)];
  const secretOf = (world: string): string => world.split('~')[1] ?? '';
  const sessionOf = (world: string): string => world.split('~')[0] ?? '';
  const opens = await ask(one, MAPPINGS);
  tally.check("WireMock's interface: a secret opens its world", opens.status === 200, () => opens.text);
  const wrong = [
    ...[two, theirs].map((world) => `${sessionOf(one)}~${secretOf(world)}`),
    `${own}/auto~${secretOf(one)}`,
    `${own}/nobodys~${secretOf(one)}`,
    `${own}~${secretOf(one)}`,
    `${sessionOf(one)}~`,
    sessionOf(one),
    one.slice(0, -1),
    `${one}x`,
    one.toUpperCase(),
  ];
  for (const world of wrong) {
    for (const endpoint of endpoints)
      await refused("WireMock's interface: secrets of others, and guessed ones", world, endpoint);
  }
  await server.request('DELETE', `/v1/mocks/${own}/sessions/${sessionOf(one).split('/')[1]}`, { key: editor });
  await refused("WireMock's interface: the secret of an ended session", one, MAPPINGS);
  for (const world of [one, two, theirs]) {
    const isLogged = (server.stdout + server.stderr).includes(secretOf(world));
    tally.check("WireMock's interface: secrets in the log", !isLogged, () => sessionOf(world));
  }
}
