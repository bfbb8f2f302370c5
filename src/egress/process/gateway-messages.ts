/** What the gateway in the egress process and the API process send each other: rules, sessions and credentials. */
import type { Authority } from '../ca/authority.ts';
import type { GatewaySessionDefinition, GatewaySessionEnd } from '../../model/gateway/session.ts';
import type { RuleToCompile } from '../../rules-table/compile-rule.ts';
import type { GatewaySettings } from '../../model/gateway/settings.ts';
import type { EditAnswer, TableCommit } from '../../rules-table/owner-tables.ts';

/** Whose key a request to the gateway carries. */
export interface GatewayCaller {
  readonly keyId: string;
  readonly ownerId: string;
  readonly userId: string;
  /** In milliseconds since the Unix epoch; undefined for a key without an end. */
  readonly expiresAt?: number | undefined;
}

/** A session of the gateway, as that needs it. */
export interface SentGatewaySession extends Pick<GatewaySessionDefinition, 'id' | 'label' | 'createdAt' | 'overlay'> {
  /** Mocks that have a session of its id. */
  readonly mocks: readonly string[];
}

export type FromGateway =
  | { readonly kind: 'credential'; readonly id: number; readonly key: string }
  /** Requests of this owner wait for its rules. */
  | { readonly kind: 'needRules'; readonly ownerId: string }
  /** In a cluster: requests of this owner wait until it is known which node has its gateway. */
  | { readonly kind: 'needHome'; readonly ownerId: string }
  /** Answers `put`, `commit`, `putSession` and `release`. */
  | { readonly kind: 'edit'; readonly id: number; readonly answer: EditAnswer }
  /** What an ended session leaves; undefined for one that is not here. */
  | { readonly kind: 'sessionEnded'; readonly id: number; readonly end: GatewaySessionEnd | undefined }
  /** A request of the session is for this mock, which has no session of its id that is known here. */
  | {
      readonly kind: 'needMockSession';
      readonly id: number;
      readonly ownerId: string;
      readonly sessionId: string;
      readonly mockId: string;
    };

/** Messages that a server without a gateway gets as well: mocks may have rules act on what they send on. */
export type RulesMessage = Extract<ToGateway, { kind: 'put' | 'commit' | 'refuseRules' }>;
export type SessionsMessage = Extract<
  ToGateway,
  { kind: 'putSession' | 'endSession' | 'sessionsSent' | 'mockSession' }
>;
export type OfGateway = Exclude<ToGateway, RulesMessage | SessionsMessage>;

export function isOfRules(message: ToGateway): message is RulesMessage {
  return ['put', 'commit', 'refuseRules'].includes(message.kind);
}

export function isOfSessions(message: ToGateway): message is SessionsMessage {
  return ['putSession', 'endSession', 'sessionsSent', 'mockSession'].includes(message.kind);
}

export type ToGateway =
  /** Undefined for a key that may not use it. */
  | { readonly kind: 'credential'; readonly id: number; readonly caller: GatewayCaller | undefined }
  /** A part of an owner's rules. The first begins an edit, which a commit ends. */
  | {
      readonly kind: 'put';
      readonly id: number;
      readonly ownerId: string;
      readonly rules: readonly RuleToCompile[];
      readonly isFirst: boolean;
    }
  | {
      readonly kind: 'commit';
      readonly id: number;
      readonly ownerId: string;
      readonly commit: TableCommit;
      /** Those of this version; absent where they are as before, or were never set. */
      readonly settings?: GatewaySettings | undefined;
    }
  /** The owner's rules cannot be held: requests that wait are refused; where that lasts, all until the owner changes them. */
  | { readonly kind: 'refuseRules'; readonly ownerId: string; readonly reason: string; readonly lasts: boolean }
  /** The authority of certificates for HTTPS. A text says why there is none. */
  | { readonly kind: 'authority'; readonly authority: Authority | string }
  /** Which node has the gateway of an owner: OwnerHome of live-rules/owner-homes.ts. */
  | { readonly kind: 'home'; readonly ownerId: string; readonly home: string | undefined }
  /** Until when this node may be the home of any owner, by `monotonicMs`. */
  | { readonly kind: 'lease'; readonly validUntil: number }
  /** The other nodes that are alive, by their internal addresses. */
  | { readonly kind: 'peers'; readonly addresses: readonly string[] }
  /** This node is no longer home to any owner. */
  | { readonly kind: 'release'; readonly id: number }
  /** A session is made or changed. Nobody waits for the answer to 0. */
  | {
      readonly kind: 'putSession';
      readonly id: number;
      readonly ownerId: string;
      readonly session: SentGatewaySession;
    }
  | { readonly kind: 'endSession'; readonly id: number; readonly ownerId: string; readonly sessionId: string }
  /** All sessions that there are were sent. */
  | { readonly kind: 'sessionsSent' }
  /** Answers `needMockSession`: why there is none, if there is none. */
  | { readonly kind: 'mockSession'; readonly id: number; readonly problem: string | undefined }
  /** The key was revoked. */
  | { readonly kind: 'endKey'; readonly keyId: string };
