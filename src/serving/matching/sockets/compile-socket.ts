/** Compiles a WebSocket route: its parts as routes are, and how its replies are sent. */
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { refusesHandshake, socketPart, UPGRADE_METHOD, type SocketPart } from '../../../model/mocks/sockets/socket.ts';
import type { CompiledRoute, FoundRoute } from '../compile/compiled-mock.ts';
import type { SocketReply } from '../compile/compiled-mock.ts';

export function compileSocketRoute(route: MockRoute, compile: (part: SocketPart) => CompiledRoute): CompiledRoute {
  const { protocols, compress, tickMs, tickTo, responses } = route;
  const [message, open, tick] = (['message', 'open', 'tick'] as const).map((when) => {
    const part = socketPart(route, when);
    return part === undefined ? undefined : compile(part);
  });
  const replies = new Map<string, SocketReply>(
    responses.map((response) => [
      response.id,
      {
        to: response.to ?? 'sender',
        close: response.close,
        refuses: refusesHandshake(response),
        hasHeaders: response.headers.length > 0,
        faultCode: response.fault?.code,
      },
    ]),
  );
  // The two refer to each other: `route` is set below.
  const found = { params: [] } as Partial<FoundRoute> as { route: CompiledRoute } & FoundRoute;
  const compiled: CompiledRoute = {
    ...((message ?? open ?? tick) as CompiledRoute),
    method: UPGRADE_METHOD,
    fallsThrough: false,
    requirements: undefined,
    templates: undefined,
    socket: {
      parts: { message, open, tick },
      replies,
      protocols,
      compresses: compress === true,
      tickMs: tick === undefined ? undefined : tickMs,
      ticksAll: tick !== undefined && tickTo === 'all',
    },
    found,
  };
  found.route = compiled;
  return compiled;
}
