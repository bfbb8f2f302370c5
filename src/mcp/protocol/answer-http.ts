/**
 * Answers what is posted to `/mcp`: one message of the protocol, in its current revision or the one before. Answers are
 * JSON, never a stream.
 *
 * Loaded by the first request: the library of the protocol takes a fifth of a second to load.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '../../base/json-object.ts';
import type { Target } from '../../client/transport.ts';
import { apiOf, type Api } from '../tools/tool.ts';
import { makeServer, type ServerParts } from './make-server.ts';

interface PostedMessage {
  readonly message: JsonObject;
  /** Those of the protocol, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Carries one request to the API, in the name of the caller. Names of headers are in lower case. */
type Ask = (request: {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}) => Promise<{ readonly status: number; readonly headers: ReadonlyMap<string, string>; readonly body: string }>;

const handler = createMcpHandler(({ authInfo }) => makeServer(authInfo?.extra?.['served'] as ServerParts), {
  legacy: 'reject',
  // A subscription is a stream.
  maxSubscriptions: 0,
});

/** @param asked Who calls, and how the API is asked for them. */
export async function answerHttp(
  { message, headers }: PostedMessage,
  { caller, ask, ...settings }: Omit<ServerParts, 'api'> & { readonly caller: Api['caller']; readonly ask: Ask },
): Promise<HttpAnswer> {
  const served = { ...settings, api: apiOf(caller, inProcess(ask)) };
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(message),
  });
  const response = (await isLegacyRequest(request, message))
    ? await answerLegacy(request, message, served)
    : await handler.fetch(request, { parsedBody: message, authInfo: authInfoOf(served) });
  const body = await response.text();
  return { status: response.status, contentType: response.headers.get('content-type') ?? 'application/json', body };
}

/** The caller was checked before: address and key name nobody. */
function inProcess(ask: Ask): Target {
  return {
    apiUrl: 'http://localhost/v1',
    key: 'in process',
    async fetch(url, { method = 'GET', headers = {}, body } = {}) {
      const { pathname, search } = new URL(url);
      const { 'x-api-key': _key, ...others } = headers as Record<string, string>;
      const sent = typeof body === 'string' ? Buffer.from(body) : undefined;
      const answer = await ask({ method, path: pathname, query: search.slice(1), headers: others, body: sent });
      return new Response(answer.body, { status: answer.status, headers: [...answer.headers] });
    },
  };
}

/** The handler passes this on to the one that makes the server. The key was checked before. */
function authInfoOf(served: ServerParts): AuthInfo {
  return { token: '', clientId: served.api.caller.keyId, scopes: [], extra: { served } };
}

/** Without a session: each request is whole. */
async function answerLegacy(request: Request, message: JsonObject, served: ServerParts): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = makeServer(served);
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}
