/**
 * A mock as its thread serves it: the result of compile.ts for a published mock, built once per version.
 *
 * Immutable, and shared by all requests of a thread. It contains functions, so it cannot be sent to another thread.
 */
import type {
  MockResponse,
  MockSettings,
  PublishedMock,
  SocketClose,
  SocketEvent,
} from '../../../model/mocks/definition/definition.ts';
import type { PathPattern } from '../../../languages/paths/path-pattern.ts';
import type { PathSegment } from '../../../languages/paths/route-path.ts';
import type { Clock } from './clock.ts';
import type { ForcedChoice } from '../choose/forced-choice.ts';
import type { CompileConditionTemplate } from '../request/condition-target.ts';
import type { MockAnswer, RenderProblem } from '../request/mock-request.ts';
import type { RequestView } from '../request/request-view.ts';
import type { ScenarioChoice } from '../choose/scenario-choice.ts';
import type { RouteTable } from '../routing/route-table.ts';

export interface CompiledMock {
  readonly mockId: string;
  readonly state: 'running' | 'stopped';
  readonly version: number;
  readonly settings: MockSettings;
  /** Slots that routes are counted in: at least one for each route of the definition. */
  readonly routeCount: number;
  /** Enabled routes in the order of the definition, one of the kind `crud` by each method and path that it serves; undefined for disabled ones. */
  readonly routes: readonly (CompiledRoute | undefined)[];
  readonly table: RouteTable;
}

/** Input of a compilation. */
export type MockToCompile = Omit<PublishedMock, 'createdVersion' | 'revisions'>;

/** Counters of the routes of a mock. */
export interface RouteSlots {
  /** By the order of the routes: the slot of each, and the first place of its responses and of their other statuses. */
  readonly places: Int32Array;
  /** Number of slots, and of counted responses. */
  readonly routeCount: number;
  readonly responseCount: number;
}

/** When a response answers, as defined. */
export interface Requirements extends Pick<MockResponse, 'rules' | 'rulesOperator'> {
  readonly scenario: MockResponse['scenario'] | undefined;
}

export interface CompiledRoute {
  readonly id: string;
  /** Its slot: by default its index in the definition, where disabled routes count too. */
  readonly index: number;
  readonly method: string;
  /** The path in the definition. */
  readonly path: string;
  /** Empty where the path is a pattern. */
  readonly segments: readonly PathSegment[];
  readonly pathPattern: PathPattern | undefined;
  /** Finding the parameters takes more than a walk through the segments. */
  readonly hasPatternSegments: boolean;
  /** In the order of the path. Wildcards have the names "*", "*2" and so on. */
  readonly parameterNames: readonly string[];
  /** A request that none of its responses answers goes to the next route. */
  readonly fallsThrough: boolean;
  /** Requirements of its responses, if it falls through: to explain misses. */
  readonly requirements: readonly Requirements[] | undefined;
  /** Compiles templates of its conditions, likewise. */
  readonly templates: CompileConditionTemplate | undefined;
  /** Some condition or template reads the body, here or where a request goes next. */
  needsBody: boolean;
  /** Some condition or template reads the client's address. */
  needsIp: boolean;
  /** Some condition, template or response uses stores, here or where a request goes next: the home of the mock answers it. */
  isStateful: boolean;
  readonly clock: Clock;
  /** Its requests have numbers: for a sequence, `{{requestNumber}}`, a fault that counts them, or draws with a seed. */
  readonly usesCounter: boolean;
  /** Something in it is random: the response, its latency, a fault, a value of its template. */
  readonly draws: boolean;
  /** The number alone chooses the response. */
  readonly isSequential: boolean;
  /** A draw chooses the response. */
  readonly choosesByDraw: boolean;
  readonly staticAnswer: MockAnswer | undefined;
  readonly responses: readonly CompiledResponse[];
  /** Counters of its responses, and of their other statuses: the index of the first of each. */
  readonly first: { readonly place: number; readonly otherPlace: number };
  /** @returns The index of the response. Charges the view's budget. Not used where there are `scenarios`. */
  readonly choose: (view: RequestView) => number;
  /** Choices by headers of a request; undefined if it may choose nothing: then nobody reads the headers. */
  readonly forced: ForcedChoice | undefined;
  /** Chooses instead of `choose` and moves states; undefined for a route without a part in a scenario. */
  readonly scenarios: ScenarioChoice | undefined;
  /** Set for a WebSocket route, whose own members above are those of one of its parts; undefined for ordinary requests. */
  readonly socket: CompiledSocket | undefined;
  /** For the kind `crud`, the same route by each method and path that it serves. */
  places: readonly CompiledRoute[] | undefined;
  /** The result of finding this route if it has no parameters: the same for every request. */
  readonly found: FoundRoute;
}

interface CompiledResponse {
  readonly id: string;
  /** Index among all responses of the mock, including those of disabled routes. */
  readonly place: number;
  /** The answer if it is the same for every request; undefined when it is templated, has a random latency, a fault or a delivery. */
  readonly fixed: MockAnswer | undefined;
  readonly answer: (view: RequestView) => MockAnswer | RenderProblem;
}

/** With what its route needs for it. */
export interface PreparedResponse extends CompiledResponse {
  readonly readsBody: boolean;
  readonly readsNumber: boolean;
  readonly readsIp: boolean;
  readonly usesStores: boolean;
  /** Something of it is random. */
  readonly draws: boolean;
}

export interface FoundRoute {
  readonly route: CompiledRoute;
  /**
   * Percent-decoded, in the order of `route.parameterNames`; shorter when an optional one is absent. May be computed at
   * each access.
   */
  readonly params: readonly (string | undefined)[];
}

/** Effects of a reply beside its messages. */
export interface SocketReply {
  readonly to: NonNullable<MockResponse['to']>;
  readonly close: SocketClose | undefined;
  /** The reply answers the handshake instead of opening a socket. */
  readonly refuses: boolean;
  /** The answer to the handshake has headers of its own. */
  readonly hasHeaders: boolean;
  /** The code that its fault closes the socket with. */
  readonly faultCode: number | undefined;
}

export interface CompiledSocket {
  /** Each chooses and answers as a route does: absent where nothing is answered. */
  readonly parts: Readonly<Record<SocketEvent, CompiledRoute | undefined>>;
  /** By the id of the response. */
  readonly replies: ReadonlyMap<string, SocketReply>;
  /** Undefined: the first that a client offers. */
  readonly protocols: readonly string[] | undefined;
  readonly compresses: boolean;
  readonly tickMs: number | undefined;
  /** All sockets get the same ticks. */
  readonly ticksAll: boolean;
}
