/** Props of the gateway's screens. */
import type { GatewayStatus } from '../../client/shapes.ts';

export type Running = GatewayStatus & { readonly server: string };

export interface RunningProps {
  readonly gateway: Running;
  /** The address below the tab. */
  readonly path: readonly string[];
}
