/** A port whose connections wait, unread, for the process that answers them. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** @param onConnection Gets each connection before a byte of it is read. @throws The error of the socket. */
export function listenPaused(host: string, port: number, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ pauseOnConnect: true }, onConnection);
    server.once('error', reject).listen({ host, port }, () => resolve(server));
  });
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
