/** What the egress process gets when it starts. */
import type { ToChild } from '../../children/child-process.ts';

export interface EgressSettings {
  /** Where the serving threads reach it: a Unix socket in a folder of its own, which it makes. */
  readonly socketPath: string;
  /** Calls carry it. */
  readonly token: string;
  /** Names this server in `via`, so that it recognises what it has sent itself. */
  readonly instance: string;
  /** Lists as reach-list.ts reads them. */
  readonly allow: string;
  readonly deny: string;
  readonly allowsLoopback: boolean;
  readonly ownPorts: readonly number[];
  /** PEM. */
  readonly ca: string | undefined;
  readonly insecure: readonly string[];
  /** What is recorded of all mocks. */
  readonly recordingBytesMax: number;
}

export type ApiToEgress = ToChild<EgressSettings>;
