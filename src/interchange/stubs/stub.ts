/**
 * A stub of another tool: a condition on requests, and what answers them. The tools keep stubs in a list, and the first that takes a request
 * answers it; stub-routes.ts makes routes of such a list.
 */
import type { HeaderEdit, ScenarioStep } from '../../model/mocks/definition/definition.ts';
import type { ReadResponse, ReadRule } from '../format.ts';
import type { Item } from '../report/report.ts';
import type { StubPath } from './stub-path.ts';

/** Requests that a stub takes. */
export interface StubRequest {
  /** "ANY" for every method. */
  readonly method: string;
  readonly path: StubPath;
  /** All of them must hold. */
  readonly rules: readonly ReadRule[];
}

export interface Stub extends StubRequest {
  readonly item: Item;
  /** At least one. Several answer one after the other, and begin again after the last. */
  readonly responses: readonly StubResponse[];
  /** How many requests it answers; afterwards the next stub is asked. Without it, all. */
  readonly times?: number;
}

/** Its condition is that of the stub. */
export type StubResponse = Omit<ReadResponse, 'rules' | 'rulesOperator' | 'default' | 'id' | 'item' | 'scenario'> & {
  readonly scenario?: ScenarioStep;
  /** Another server that answers: stub-proxy.ts makes a `proxy` of it. */
  readonly forward?: StubProxy;
};

/** Where the request goes, and what is changed on the way. */
export interface StubProxy {
  readonly upstream: string;
  /** In place of the path and the query of the request: a template where the response is one. */
  readonly path?: string;
  readonly requestHeaders?: readonly HeaderEdit[];
  readonly responseHeaders?: readonly HeaderEdit[];
  /** Whether exchanges with it are recorded. */
  readonly record?: true;
  /** Whether the upstream gets the `Host` of the client. */
  readonly host?: 'keep';
}
