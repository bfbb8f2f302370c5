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
import { makeServer, type Served } from './make-server.ts';

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

const handler = createMcpHandler(({ authInfo }) => makeServer(authInfo?.extra?.['served'] as Served), {
  legacy: 'reject',
  // A subscription is a stream.
  maxSubscriptions: 0,
});

export async function answerHttp({ message, headers }: PostedMessage, served: Served): Promise<HttpAnswer> {
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

/** The handler passes this on to the one that makes the server. The key was checked before. */
function authInfoOf(served: Served): AuthInfo {
  return { token: '', clientId: served.api.caller.keyId, scopes: [], extra: { served } };
}

/** Without a session: each request is whole. */
async function answerLegacy(request: Request, message: JsonObject, served: Served): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = makeServer(served);
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}
