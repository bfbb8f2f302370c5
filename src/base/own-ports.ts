/**
 * The TCP ports of this server that none of its users may have it connect to: all but those of mocks. Whatever listens adds its port here,
 * so that a new listener is refused from the start. The API process knows those of all processes and sends them to the egress process.
 */
class OwnPorts {
  #ports: ReadonlySet<number> = new Set();
  /** Called after each change. */
  onChange: (() => void) | undefined;

  get all(): readonly number[] {
    return [...this.#ports];
  }

  includes(port: number): boolean {
    return this.#ports.has(port);
  }

  add(port: number): void {
    if (!this.includes(port)) this.replace([...this.#ports, port]);
  }

  remove(port: number): void {
    this.replace(this.all.filter((each) => each !== port));
  }

  replace(ports: readonly number[]): void {
    this.#ports = new Set(ports);
    this.onChange?.();
  }
}

/** Those of this process, and those that another process has sent. */
export const ownPorts = new OwnPorts();
