import type { GatewayStatus } from '../../client/shapes.ts';

/** A gateway that takes requests, at an address. */
export type Running = GatewayStatus & { readonly server: string };
