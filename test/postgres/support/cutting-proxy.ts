/** A proxy in front of a server, which cuts a connection after so many bytes of the server's answers, or lets them through slowly, late, or not at all. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Bytes of answers, of all connections, until the next cut; Infinity for none. */
  #left = Infinity;
  cuts = 0;
  /** Bytes of answers that were let through. */
  passed = 0;
  /** Called with what clients send. */
  onAsked: (chunk: Buffer) => void = () => undefined;
  /** Of each connection's answers. */
  bytesPerMs = Infinity;
  /** How late bytes of either side arrive. */
  delayMs = 0;
  #isHeld = false;
  #isRefusing = false;

  private constructor(port: number) {
    this.#server = createServer((client) => {
      if (this.#isRefusing) return void client.resetAndDestroy();
      if (this.#isHeld) return this.#keep(client);
      const server = connect(port, '127.0.0.1');
      for (const socket of [client, server]) this.#keep(socket);
      client.on('data', (chunk: Buffer) => {
        this.onAsked(chunk);
        this.#pass(chunk, server);
      });
      client.on('close', () => server.destroy());
      server.on('close', () => {
        if (this.delayMs === 0) client.destroy();
        else setTimeout(() => client.destroy(), this.delayMs);
      });
      server.on('data', (chunk: Buffer) => {
        if (chunk.length < this.#left) {
          this.#left -= chunk.length;
          this.passed += chunk.length;
          this.#pass(chunk, client);
          if (this.bytesPerMs === Infinity) return;
          server.pause();
          setTimeout(() => server.resume(), chunk.length / this.bytesPerMs);
          return;
        }
        this.cuts++;
        client.write(chunk.subarray(0, this.#left));
        this.#left = Infinity;
        client.destroySoon();
        server.destroy();
      });
    });
  }

  static async start(port: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts the connection that gets the byte after these. */
  cutAfter(bytes: number): void {
    this.#left = bytes;
  }

  /** Lets nothing through any more, and closes nothing: as a network does that is cut. */
  hold(): void {
    this.#isHeld = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was held is lost, and new connections are let through. */
  release(): void {
    this.#isHeld = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Closes what is open, and each new connection. */
  refuse(): void {
    this.release();
    this.#isRefusing = true;
  }

  accept(): void {
    this.#isRefusing = false;
  }

  #pass(chunk: Buffer, to: Socket): void {
    if (this.delayMs === 0) to.write(chunk);
    else setTimeout(() => to.write(chunk), this.delayMs);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
