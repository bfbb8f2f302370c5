/** A call of WireMock's admin interface: what it is about, and what answers it needs. */
import type { JsonObject } from '../../../base/json-object.ts';
import type { Refusal } from '../../../errors.ts';
import type { MockLimits } from '../../../limits.ts';
import type { ReadStub, StubSource } from '../../../interchange/stubs/one-stub.ts';
import type { UpstreamRefusal } from '../../../model/mocks/upstream/placed-upstreams.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { SessionBook } from '../../../sessions/session-book.ts';
import type { Recordings } from '../../api/mocks/recording/recordings.ts';
import type { MockStates } from '../../api/mocks/scenarios.ts';
import type { ExplainRecorded } from '../../api/mocks/traffic/closest-requests.ts';
import type { MockTraffic } from '../../api/mocks/traffic/traffic.ts';
import type { TrafficSubject } from '../../api/mocks/traffic/traffic-scope.ts';
import type { Call } from '../../call.ts';
import type { World } from '../world.ts';
import type { Failure } from './errors.ts';

export interface CompatParts {
  readonly owners: OwnerDirectory;
  readonly sessions: SessionBook;
  readonly traffic: MockTraffic;
  readonly states: MockStates;
  readonly limits: MockLimits;
  /** Whether stubs are taken that answer approximately as written. */
  readonly isLenient: boolean;
  /** Serves the committed version of a mock. @returns Whether every thread does. */
  readonly publish: (mockId: string) => Promise<boolean>;
  readonly explain: ExplainRecorded;
  readonly upstreamRefusal: UpstreamRefusal;
  readonly recordings: Pick<Recordings, 'read'>;
  /** Reads in the sandbox what would hold the event loop. @returns undefined when it took too long. */
  readonly readStubs: (ownerId: string, stubs: readonly StubSource[]) => Promise<ReadStub[] | undefined | Refusal>;
}

export interface Question {
  readonly parts: CompatParts;
  readonly call: Call;
  readonly scoped: TrafficSubject;
  readonly world: World;
  /** Decoded path parameters. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  /** Empty without one. */
  readonly body: JsonObject;
  /** The body where it is not read as JSON. */
  readonly bytes: Buffer | undefined;
  /** The stubs of the mock itself, where the caller may change them: not by the secret of a session. */
  readonly worldOfMock: () => World | undefined;
}

export interface Answer {
  /** 200 when absent. */
  readonly status?: number;
  /** `{}` when absent. */
  readonly json?: unknown;
  /** In place of JSON. */
  readonly bytes?: Buffer;
  /** Header lines with CRLF before each. */
  readonly headers?: string;
}

type Result = Answer | Failure | Refusal | Promise<Answer | Failure | Refusal>;

/** An endpoint of WireMock's admin API. */
export interface Operation {
  readonly method: string;
  /** Below `__admin`, as routes of this API are written. */
  readonly path: string;
  readonly access: 'read' | 'write';
  /** Whether its body is any bytes. */
  readonly takesBytes?: true;
  readonly answer: (question: Question) => Result;
}
