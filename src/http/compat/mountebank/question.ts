/** A call of mountebank's admin API: what it is about, and what answers it needs. */
import type { JsonObject } from '../../../base/json-object.ts';
import type { Refusal } from '../../../errors.ts';
import type { Mock } from '../../../model/mocks/mock.ts';
import type { Call } from '../../call.ts';
import type { Large } from '../answer-in-turn.ts';
import type { CompatParts } from '../wiremock/question.ts';
import type { Failure } from './errors.ts';

export interface MountebankParts extends CompatParts {
  readonly scheme: 'http' | 'https';
  /** Where the requests of a session go. */
  readonly urlOf: (mockId: string, sessionId: string) => string;
  /** Undefined where ports are names alone. */
  readonly realPorts: RealPorts | undefined;
}

/** Ports that imposters of one space are called at. They close with the sessions. */
export interface RealPorts {
  readonly space: string;
  readonly first: number;
  readonly last: number;
  readonly isFull: () => boolean;
  /** Whether the server has a certificate, for `https`. */
  readonly hasTls: boolean;
  /** @returns Whether it is listened on, for this session. */
  readonly open: (bound: { port: number; isTls: boolean; mockId: string; sessionId: string }) => Promise<boolean>;
  readonly urlOf: (port: number, isTls: boolean) => string;
}

export interface Question {
  readonly parts: MountebankParts;
  readonly call: Call;
  readonly space: string;
  /** The mock of the owner's spaces; undefined before the first imposter. */
  readonly mock: Mock | undefined;
  /** What links begin with. */
  readonly base: string;
  /** Those of the path, decoded. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  /** Empty without one. */
  readonly body: JsonObject;
}

export interface Answer {
  /** 200 when absent. */
  readonly status?: number;
  readonly json: object;
  /** Header lines with CRLF before each. */
  readonly headers?: string;
}

export type Outcome = Answer | Failure | Refusal;

/** One endpoint. */
export interface Operation {
  readonly method: string;
  /** Below the space, as routes of this API are written. */
  readonly path: string;
  readonly access: 'read' | 'write';
  readonly answer: (question: Question) => Outcome | Large<Outcome> | Promise<Outcome | Large<Outcome>>;
}
