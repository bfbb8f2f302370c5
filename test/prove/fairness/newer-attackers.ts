/** What owners do to others by tokens, HTTPS and WireMock's interface. */
import { ask, callApi, repeatedly, type Ask, type Attacker, type Load, type Plan, type Request } from './load.ts';

function attacker(
  name: string,
  plane: Attacker['plane'],
  definition: object,
  loads: readonly Load[],
  before: readonly Load[] = [],
): Attacker {
  const plan = (): Plan => ({ definition: { routes: [], ...definition }, before, loads });
  return { name, plane, heldMb: 128, plan };
}

/** @param helper Called a thousand times in a request. @param sent Bytes of its body. */
function tokens(name: string, helper: string, sent: number): Attacker {
  const body = `{{#repeat 1000}}{{setVar 'q' (${helper})}}{{/repeat}}`;
  const definition = {
    settings: { signing: { alg: 'ES256' } },
    routes: [{ method: 'POST', path: '/t', responses: [{ templated: true, body }] }],
  };
  return attacker(name, 'mocks', definition, [repeatedly(16, ask('POST', '/t', 'x'.repeat(sent)))]);
}

function wiremock(name: string, asked: Request, before: readonly Load[] = []): Attacker {
  const settings = { precedence: 'listed', cors: false };
  return attacker(name, 'api', { settings }, [atApi(32, asked)], before);
}

const atApi = (connections: number, asked: Request): Ask => ({ ...repeatedly(connections, asked), port: 'api' });

function admin(method: string, path: string, body?: (count: number) => object): Request {
  return (at, count) => callApi(method, `/compat/wiremock/${at.mocks[0]}/__admin/${path}`, body?.(count))(at, count);
}

const stub = (count: number): object => ({
  request: { method: 'GET', urlPathPattern: `/s/${count}/[a-z]+` },
  response: { status: 200, body: 'x'.repeat(1_000) },
});

export const NEWER_ATTACKERS: readonly Attacker[] = [
  tokens('tokens that a large secret signs', "jwtSign (object sub='a') secret=(body)", 900_000),
  tokens('tokens of ES256', "jwtSign (object sub='a')", 1),
  tokens('large sealed values', "seal (body) purpose='a' seconds=60", 300_000),
  attacker('handshakes of HTTPS, each for another name', 'mocks', {}, [
    { kind: 'knock', port: 'https', atOnce: 200, tlsName: (count) => `h${count}.localhost` },
  ]),
  wiremock("WireMock's list of 1000 stubs", admin('GET', 'mappings'), [
    { ...atApi(8, admin('POST', 'mappings', stub)), times: 1_000 },
  ]),
  wiremock(
    "imports of 3000 of WireMock's stubs",
    admin('POST', 'mappings/import', () => ({ mappings: Array.from({ length: 3_000 }, (_, index) => stub(index)) })),
  ),
];
