/** Drops packets on this machine by nftables, as a network does that is cut: with root, in a table of its own. */
import { execFileSync } from 'node:child_process';
import { onUndo } from '../../support/server.ts';

export class Firewall {
  readonly #table = `switchyard_test_${process.pid}`;

  /** @returns Why it cannot be used here, undefined when it can. */
  static unavailable(): string | undefined {
    try {
      nft('list tables');
      return undefined;
    } catch (error) {
      return `nft needs root and its program: ${(error as Error).message.split('\n')[0]}`;
    }
  }

  constructor() {
    nft(`add table inet ${this.#table}`);
    onUndo(() => this.end());
    nft(`add chain inet ${this.#table} out { type filter hook output priority 0; }`);
  }

  /** Drops every packet to these TCP ports, of new connections and of those that are open. */
  drop(ports: readonly number[]): void {
    nft(`add rule inet ${this.#table} out tcp dport { ${ports.join(', ')} } drop`);
  }

  /** Lets everything through again. */
  pass(): void {
    nft(`flush chain inet ${this.#table} out`);
  }

  end(): void {
    try {
      nft(`delete table inet ${this.#table}`);
    } catch {
      // It is gone already.
    }
  }
}

function nft(command: string): void {
  execFileSync('nft', [command], { stdio: ['ignore', 'ignore', 'pipe'] });
}
