/**
 * A session of the gateway: one test's own view of the rules and mocks of an owner. docs/gateway.md, "Sessions".
 *
 * It has an overlay over the owner's rules and settings, which it follows, and its own exchanges and counts. Mocks of the owner
 * get a session of the same id. Held in memory alone; plain data, which crosses to the egress process.
 */
import type { Rule } from '../rule.ts';
import type { ExchangeCounts } from './exchange.ts';
import type { GatewaySettings } from './settings.ts';

/** A rule of the overlay, as where rules act needs it. */
type OverlaidRule = Pick<Rule, 'id' | 'name' | 'ruleType' | 'status' | 'groupId' | 'pairs' | 'createdVersion'>;

/** The rule overlay of a session, as sent to the process that applies rules. */
export interface SentRuleOverlay {
  /** They act behind all stored ones, in this order. */
  readonly rules: readonly OverlaidRule[];
  /** Ids of stored rules. One that was deleted in the meantime has no effect. */
  readonly disabledRules: readonly string[];
  readonly enabledRules: readonly string[];
  /** In place of that of the owner's settings. */
  readonly mode?: GatewaySettings['mode'] | undefined;
}

export interface GatewayOverlay extends SentRuleOverlay {
  /** Mocks by host: looked up before those of the owner's settings. */
  readonly attach: Readonly<Record<string, string>>;
  /** In place of those of the owner's settings. */
  readonly others?: 'forward' | 'refuse' | undefined;
  readonly propagate?: readonly string[] | undefined;
}

export interface GatewaySessionDefinition {
  /** Unique among the sessions of its owner's gateway: SESSION_ID. */
  readonly id: string;
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** It ends so long after its last request or API call. */
  readonly idleMs: number;
  /** That of the sessions of its mocks. */
  readonly seed: number;
  readonly overlay: GatewayOverlay;
}

/** Behind all stored rules, whose versions are counts of commits. */
export const OVERLAID_VERSION = 2 ** 52;

/** How a live session was used. */
export interface GatewaySessionUse {
  readonly sessionId: string;
  /** When its last exchange began, in milliseconds since 1970; 0 without one. */
  readonly lastUsedAt: number;
  readonly total: number;
}

/** Summary of an ended session. */
export interface GatewaySessionEnd {
  readonly counts: ExchangeCounts;
  /** Hosts that were asked for and are attached to no mock, where `others` refuses them. */
  readonly notAttached: readonly string[];
}
