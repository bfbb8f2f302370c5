/** Values by hosts, as settings of the gateway name them: exact ones, and all that end so. A look-up costs as many steps as the name has labels. */

export class HostTable<Value> {
  readonly #values: ReadonlyMap<string, Value>;
  readonly #hasEndings: boolean;

  /** @param entries Hosts as `hostNameOf` writes them: "*.example.com" is what ends so. */
  constructor(entries: Iterable<readonly [host: string, value: Value]>) {
    this.#values = new Map(entries);
    this.#hasEndings = [...this.#values.keys()].some((host) => host.startsWith('*'));
  }

  /**
   * A host with its port goes before one without, an exact one before an ending, and a longer ending before a shorter one.
   *
   * @param host As URLs have it, without the port.
   */
  get(host: string, port: number): Value | undefined {
    if (this.#values.size === 0) return undefined;
    const name = host.endsWith('.') ? host.slice(0, -1) : host;
    const exact = this.#at(name, port);
    if (exact !== undefined || !this.#hasEndings) return exact;
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      const found = this.#at(`*${name.slice(dot)}`, port);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  has(host: string, port: number): boolean {
    return this.get(host, port) !== undefined;
  }

  #at(name: string, port: number): Value | undefined {
    return this.#values.get(`${name}:${port}`) ?? this.#values.get(name);
  }
}

/** A table of names alone. */
export function hostSet(hosts: readonly string[]): HostTable<true> {
  return new HostTable(hosts.map((host) => [host, true]));
}
