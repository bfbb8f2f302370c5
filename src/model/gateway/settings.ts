/** Settings of an owner for the gateway: docs/gateway.md, "Settings". settings-payload.ts parses them. */
import type { RedactedNames } from '../mocks/definition/definition.ts';
import type { Stamps } from '../stamps.ts';

/** Requests for the host go to the mock. */
export interface AttachedHost {
  /** Normalised by `hostNameOf`. */
  readonly host: string;
  readonly mockId: string;
}

export interface GatewaySettings {
  /** Whether a rule that changes the URL answers with a redirect, or changes where the request goes. */
  readonly mode: 'redirect' | 'rewrite';
  readonly attach: readonly AttachedHost[];
  /** Whether requests for hosts that are not attached go on. */
  readonly others: 'forward' | 'refuse';
  /** Hosts whose tunnels are passed on unread. */
  readonly tunnel: readonly string[];
  /** Hosts that get the session of a request, in `baggage`. */
  readonly propagate: readonly string[];
  /** Whether bodies are kept. */
  readonly record: boolean;
  readonly redact: Required<RedactedNames>;
}

/** The settings of one owner, as stored. */
export interface GatewayRecord extends Stamps {
  readonly id: string;
  readonly settings: GatewaySettings;
}

export const GATEWAY_DEFAULTS: GatewaySettings = {
  mode: 'redirect',
  attach: [],
  others: 'forward',
  tunnel: [],
  propagate: [],
  record: false,
  redact: { headers: [], members: [] },
};
