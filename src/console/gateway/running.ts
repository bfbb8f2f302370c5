/** What the screens of a gateway are given. */
import type { GatewayStatus } from '../../client/shapes.ts';

/** A gateway that takes requests, at an address. */
export type Running = GatewayStatus & { readonly server: string };

/** Props of each screen of a gateway that runs. */
export interface RunningProps {
  readonly gateway: Running;
  /** The address below the tab. */
  readonly path: readonly string[];
}
