/**
 * Connects to the gateway of another node: over its internal port, which passes the connection on. What is said over it is what the
 * clients of a gateway say.
 */
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { GATEWAY_PATH, GATEWAY_PROTOCOL } from '../../forward/peer-headers.ts';
import { peerAddress, peerClientOptions } from '../../forward/peer-tls.ts';
import { PEER_CONNECT_MS } from '../../limits.ts';
import { ConnectError } from './connector.ts';

const HEAD_END = '\r\n\r\n';
const HEAD_BYTES_MAX = 4_096;

/** @param address `host:port` of the node. @param key From `peerKey`. */
export function peerConnector(address: string, key: Buffer): buildConnector.connector {
  return (_options, callback) => {
    const socket = connectTls({ ...peerAddress(address), ...peerClientOptions(key) });
    let head = '';
    let isOver = false;
    const end = (error?: Error): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      socket.off('data', read).off('error', end).off('close', onClose).pause();
      if (error === undefined) return callback(null, socket);
      socket.on('error', () => undefined).destroy();
      return callback(new ConnectError('unreachable', error), null);
    };
    const onClose = (): void => end(new Error(`the node at ${address} closed the connection`));
    const read = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      // Nothing follows the head before something is asked.
      if (head.endsWith(HEAD_END))
        end(head.startsWith('HTTP/1.1 101 ') ? undefined : new Error('it accepts no connections'));
      else if (head.length > HEAD_BYTES_MAX) end(new Error('it is not a node'));
    };
    const timer = setTimeout(() => end(new Error(`no connection to the node at ${address}`)), PEER_CONNECT_MS);
    socket.on('error', end).on('close', onClose).on('data', read).setNoDelay(true);
    socket.once('secureConnect', () =>
      socket.write(
        `GET ${GATEWAY_PATH} HTTP/1.1\r\nhost: node\r\nconnection: upgrade\r\nupgrade: ${GATEWAY_PROTOCOL}${HEAD_END}`,
      ),
    );
  };
}
