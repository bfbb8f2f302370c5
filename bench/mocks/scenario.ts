/** The shape of a scenario of mock servers: which mocks there are, the requests to them, and what must come back. */
import type { Load } from '../load/load.ts';

/** As Switchyard's API takes it. The other servers' files translate from it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** The first whose rule holds, else the one without a rule. */
  readonly responses: readonly Response[];
}

export interface Response {
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: string;
  readonly rules?: readonly Rule[];
  readonly templated?: boolean;
  readonly default?: boolean;
}

export interface Rule {
  readonly target: 'query' | 'header' | 'body';
  readonly property: string;
  readonly operator: 'equals' | 'regex';
  readonly value: string;
}

export interface Scenario {
  /** As in `--only` and in the results. */
  readonly name: string;
  readonly title: string;
  /** Of each mock. */
  readonly routes: readonly Route[];
  /** Mocks that are there; above 1, requests go to all in turn. */
  readonly mockCount: number;
  readonly request: Pick<Load, 'method' | 'path' | 'headers' | 'body' | 'pipelining' | 'reconnect'>;
  /** What every contender must answer. Without a body, each has words of its own. */
  readonly answer: { readonly status: number; readonly body?: string };
  /** What raw uWebSockets.js does for it: send the reply, or read the body, parse it, and then send the reply. */
  readonly rawWork: 'reply' | 'parse';
  /** Only these can show something. All when absent. */
  readonly contenders?: readonly string[];
}
