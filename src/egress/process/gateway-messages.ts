/** Messages between the gateway in the egress process and the API process: rules, sessions and credentials. */
import type { AnswerMessage, Asker, Question, QuestionMessage } from '../../children/questions.ts';
import type { Authority } from '../../ca/authority.ts';
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

/** API process → egress process. A server without a gateway has rules as well: they may act on what its mocks send on. */
export interface GatewayQuestions {
  /** A part of an owner's rules. The first begins an edit, which a commit ends. */
  readonly put: Question<
    { readonly ownerId: string; readonly rules: readonly RuleToCompile[]; readonly isFirst: boolean },
    EditAnswer
  >;
  readonly commit: Question<RulesCommit, EditAnswer>;
  /** A session is made or changed. */
  readonly putSession: Question<{ readonly ownerId: string; readonly session: SentGatewaySession }, true>;
  /** Undefined for one that is not here. */
  readonly endSession: Question<
    { readonly ownerId: string; readonly sessionId: string },
    GatewaySessionEnd | undefined
  >;
  /** This node is no longer home to any owner. */
  readonly release: Question<null, true>;
}

/** Egress process → API process. */
export interface ApiQuestions {
  /** Undefined for a key that may not use the gateway. */
  readonly credential: Question<{ readonly key: string }, GatewayCaller | undefined>;
  /** In a cluster, which node has the gateway of an owner: OwnerHome of live-rules/owner-homes.ts. */
  readonly home: Question<{ readonly ownerId: string }, string | undefined>;
  /** Requests of this owner wait for its rules, which are put, or refused, before the answer. */
  readonly rules: Question<{ readonly ownerId: string }, true>;
  /** A request of the session is for a mock that has no session of its id that is known here. The answer: why there is none; "" when it is made. */
  readonly mockSession: Question<
    { readonly ownerId: string; readonly sessionId: string; readonly mockId: string },
    string
  >;
}

/** The API process, for parts of this one. */
export type Api = Pick<Asker<ApiQuestions>, 'ask'>;

export interface RulesCommit {
  readonly ownerId: string;
  readonly commit: TableCommit;
  /** Those of this version; absent where they are as before, or were never set. */
  readonly settings?: GatewaySettings | undefined;
}

export type FromGateway = QuestionMessage<ApiQuestions> | AnswerMessage;

export type ToGateway =
  | QuestionMessage<GatewayQuestions>
  | AnswerMessage
  /** The owner's rules cannot be held: requests that wait are refused; where that lasts, all until the owner changes them. */
  | { readonly kind: 'refuseRules'; readonly ownerId: string; readonly reason: string; readonly lasts: boolean }
  /** One of the sessions that there are at the start of the process. */
  | { readonly kind: 'session'; readonly ownerId: string; readonly session: SentGatewaySession }
  /** All of them were sent. */
  | { readonly kind: 'sessionsSent' }
  /** The authority of certificates for HTTPS. A text says why there is none. */
  | { readonly kind: 'authority'; readonly authority: Authority | string }
  /** Until when this node may be the home of any owner, by `monotonicMs`. */
  | { readonly kind: 'lease'; readonly validUntil: number }
  /** The other nodes that are alive, by their internal addresses. */
  | { readonly kind: 'peers'; readonly addresses: readonly string[] }
  /** The key was revoked. */
  | { readonly kind: 'endKey'; readonly keyId: string };
