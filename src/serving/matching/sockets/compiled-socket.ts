/** A WebSocket route as it is served: what compile-socket.ts makes of it, once per version. */
import type { MockResponse, SocketClose, SocketEvent } from '../../../model/mocks/definition/definition.ts';
import type { CompiledRoute } from '../compile/compiled-mock.ts';

/** What happens with a reply, beside its messages. */
export interface SocketReply {
  readonly to: NonNullable<MockResponse['to']>;
  readonly close: SocketClose | undefined;
  /** Whether it answers a handshake in place of a socket. */
  readonly refuses: boolean;
  /** Whether the answer to the handshake has headers of its own. */
  readonly hasHeaders: boolean;
  /** The code that its fault closes the socket with. */
  readonly faultCode: number | undefined;
}

export interface CompiledSocket {
  /** Each chooses and answers as a route does: absent where nothing is answered. */
  readonly parts: Readonly<Record<SocketEvent, CompiledRoute | undefined>>;
  /** By the id of the response. */
  readonly replies: ReadonlyMap<string, SocketReply>;
  /** Undefined: the first that a client offers. */
  readonly protocols: readonly string[] | undefined;
  readonly compresses: boolean;
  readonly tickMs: number | undefined;
}
