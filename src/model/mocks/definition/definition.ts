/**
 * The definition of a mock: its settings and routes, with their responses and conditions. docs/mocks-fields.md.
 *
 * Plain data: it is stored, diffed, sent to the data plane and compiled there. The schemas declare its members; these are their values, with
 * defaults filled in.
 */
import type { faultShape, rateLimitShape, scenarioShape, stepShape } from '../behaviour/behaviour-schema.ts';
import type { socketCloseShape } from '../sockets/socket-schema.ts';
import type { streamEventShape, streamShape } from '../streams/stream-schema.ts';
import type { callbackShape } from '../upstream/callback-schema.ts';
import type { proxySettingsShape, redactShape, responseProxyShape } from '../upstream/proxy-schema.ts';
import type { sampleShape } from '../upstream/sample-schema.ts';
import type { ResponseShape, RouteShape, settingsShape } from './schema.ts';
import type { Value } from '../../schema-value.ts';

export const METHOD_ANY = 'ANY';

/** Default status of a rate limit. */
export const RATE_STATUS = 429;

/** A way to fail, instead of the response or in the middle of it. docs/mocks-behaviour.md says what a client sees of each. */
export interface Fault extends Value<typeof faultShape> {}
export type FaultKind = Fault['kind'];

/** One event of a stream. */
export interface StreamEvent extends Value<typeof streamEventShape> {}

/** Events sent over time instead of a body. Absent members have the values of STREAM_DEFAULTS. */
export interface MockStream extends Value<typeof streamShape> {}

/** `requests` in each `perMs`, spread evenly, after a burst of `burst` (`requests` when absent). */
export interface RateLimit extends Value<typeof rateLimitShape> {}

/** The real service that answers requests which are sent on: its upstream. */
export interface ProxySettings extends Value<typeof proxySettingsShape> {}

/** A header line that replaces all of its name; with null they are removed. */
export type HeaderEdit = NonNullable<ProxySettings['requestHeaders']>[number];

/** Names whose values are replaced in what is recorded, beside those of common credentials. */
export interface RedactedNames extends Value<typeof redactShape> {}

/** A response that the upstream gives. What is absent is that of the settings. */
export interface ResponseProxy extends Value<typeof responseProxyShape> {}

/** A request that got a response: recorded, or written by a person. Neither served nor matched. */
export interface Sample extends Value<typeof sampleShape> {}

/** A request that the mock sends after it has answered. */
export interface Callback extends Value<typeof callbackShape> {}

/** How a callback is signed. docs/callbacks.md, has what each scheme sends. */
export type CallbackSignature = NonNullable<Callback['sign']>;

/** Named states that requests move through. */
export interface Scenario extends Value<typeof scenarioShape> {}

/** A response's part in a scenario of its mock. */
export interface ScenarioStep extends Value<typeof stepShape> {}

export interface HeaderLine {
  readonly name: string;
  readonly value: string;
}

export interface SocketClose extends Value<typeof socketCloseShape> {}

export interface MockResponse extends Value<ResponseShape> {}

/** `message` where a response says nothing. */
export type SocketEvent = NonNullable<MockResponse['when']>;

export interface MockRoute extends Value<RouteShape> {}
export type Selection = MockRoute['selection'];

export interface MockSettings extends Value<typeof settingsShape> {}
export type Precedence = MockSettings['precedence'];

export interface MockDefinition {
  readonly settings: MockSettings;
  readonly routes: readonly MockRoute[];
  /** For a mock as a session sees it: how many of the last routes come before all others. Never stored. */
  readonly overlaid?: number;
}

/** The part of a mock that the data plane needs. */
export interface PublishedMock {
  readonly mockId: string;
  readonly ownerId: string;
  /** With the owner, distinguishes it from a deleted mock of the same id. */
  readonly createdVersion: number;
  readonly state: 'running' | 'stopped';
  /** The saved version that is served, from 1. */
  readonly version: number;
  readonly definition: MockDefinition;
  /** Revisions of its routes. Without them, compilation reuses nothing of an earlier version. */
  readonly revisions?: readonly number[];
}
