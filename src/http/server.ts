/**
 * The HTTP server of the API process: takes every request through the same steps.
 *
 * framing → host → state of the service → overload → route → method → key → rate → role → endpoint (docs/api.md,
 * "Order of checks"). Endpoints are declared in the API files and run by run-endpoint.ts; a request and its reply is
 * a `Call` (call.ts).
 */
import { Bag } from '../base/bag.ts';
import { PortError } from '../base/port-error.ts';
import { randomId } from '../base/random-id.ts';
import { isRefusal, refuse, type Detail } from '../errors.ts';
import type { MockHomes } from '../cluster/mock-homes.ts';
import { unpack, type RequestHeadSent } from '../forward/envelope.ts';
import { DEFAULT_LIMITS, IMPORT_BODY_BYTES_MAX } from '../limits.ts';
import { mayUse, type Principal } from '../model/principal.ts';
import { Acceptor, descriptorOf, newApp, routeByMethod, type TlsFiles } from '../wire/apps.ts';
import { BoundedConnections, connectionsWithin, listenAsOwn, stopListening, type Listening } from '../wire/listen.ts';
import type { HttpRequest, HttpResponse, TemplatedApp } from '../wire/uws.ts';
import { receiveBody } from './body.ts';
import { Call, type CallContext } from './call.ts';
import { InnerRequest, InnerResponse, type InnerAnswer, type InnerAsk } from './inner-exchange.ts';
import { Cors } from './admission/cors.ts';
import { FairShares } from '../base/fair-shares.ts';
import { sharedByOwners } from '../base/waiting-bytes.ts';
import { hostCheck, namesMock } from './admission/host-check.ts';
import type { LoadWatch } from './admission/load-watch.ts';
import { readForwardedHead, readHead, type RequestHead } from './request-head.ts';
import type { Endpoint } from './endpoint.ts';
import { answerAtHome } from './forward-call.ts';
import { Router, type PathMatch } from './router.ts';
import { inShare, runEndpoint } from './run-endpoint.ts';

/**
 * Connections of the API port, or what the limit of open files allows. (shown: Shared capacity) Without any descriptor, uWS
 * spins.
 */
const CONNECTIONS_MAX = 10_000;
/** The largest answer: two mocks compared, as it is estimated. */
const COMPARISON_BYTES = 3 * DEFAULT_LIMITS.mocks.definitionBytesMax;

interface HttpServerOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly tls: TlsFiles | undefined;
  /** Whether `host` is a loopback address: then only certain Host names are accepted. */
  readonly onLoopback: boolean;
  readonly corsOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Domains under which mocks have host names. */
  readonly mockDomains: readonly string[];
  /** Routes that answer in every state of the service: whether the process is alive. */
  readonly always: readonly Endpoint[];
  /** Whether the service is overloaded; read on every request. */
  readonly load: Pick<LoadWatch, 'isOverloaded' | 'takeMemory'>;
  /** Bounds of the memory for bodies and answers (app/memory.ts). */
  readonly memory: { readonly bodiesBytesMax: number; readonly repliesBytesMax: number };
  /** Called once per request, when its answer is on its way or its client has left (status 0). */
  readonly onAnswered: (call: Call, status: number) => void;
  /** An unexpected error in a handler: the request gets `serverError`. */
  readonly onError: (call: Call, error: unknown) => void;
}

/** The parts that the server gets once the service is open. */
interface ServedApi {
  readonly routes: readonly Endpoint[];
  readonly authenticate: (apiKey: string | undefined) => Principal | undefined;
  /** Whether a key that was refused is a right one whose end has come. */
  readonly hasExpired: (apiKey: string) => boolean;
  /** Who calls without a key where an endpoint may be open; undefined where none is. */
  readonly openCaller?: Principal | undefined;
  /** Takes a request of the key's rate. @returns false when none is left. */
  readonly admits: (principal: Principal) => boolean;
  readonly mockPort: number;
  readonly homes: Pick<MockHomes, 'isOwn' | 'elsewhere' | 'isForwarded' | 'forward'>;
}

/** An id that a client sent is used when it is short and cannot break a log line or a header. */
const SANE_REQUEST_ID = /^[A-Za-z0-9._:@/+=-]{1,128}$/;

export class HttpServer {
  readonly #tls: TlsFiles | undefined;
  /** Distributes connections to the newest app. Absent without TLS: then the only app listens itself. */
  readonly #acceptor: Acceptor | undefined;
  readonly #listening: Listening;
  /** One, plus one for each renewal of the certificate. */
  readonly #apps: TemplatedApp[] = [];
  readonly #shares = new FairShares();
  readonly #context: CallContext;
  readonly #cors: Cors;
  readonly #answersHost: (host: string) => boolean;
  readonly #mockDomains: readonly string[];
  readonly #requestIdPrefix = `${randomId(8)}-`;
  #requestCount = 0;
  /** Calls that their handler has left unfinished and that are still not answered, sent and released. */
  readonly #inFlight = new Bag<Call>();
  #isHandling = false;
  readonly #connections = new BoundedConnections(connectionsWithin(CONNECTIONS_MAX));
  #onIdle: (() => void) | undefined;
  readonly #always: readonly Endpoint[];
  readonly #load: { readonly isOverloaded: boolean };
  #router: Router<Endpoint>;
  #served: ServedApi | undefined;
  #draining = false;

  private constructor(options: HttpServerOptions) {
    this.#tls = options.tls;
    this.#always = options.always;
    this.#load = options.load;
    this.#router = new Router(options.always);
    this.#cors = new Cors(options.corsOrigins);
    this.#answersHost = hostCheck(options.onLoopback, [options.host, ...options.allowedHosts]);
    this.#mockDomains = options.mockDomains;
    this.#context = {
      inShare: (call, bytes, handle) => inShare(this.#shares, call, bytes, handle),
      inTurn: (ownerId, work) => this.#shares.run(ownerId, 0, work),
      beginPromises: (ownerId, work) => this.#shares.beginPromises(ownerId, work),
      releaseShare: (ownerId, bytes) => this.#shares.release(ownerId, bytes),
      bodies: sharedByOwners(options.memory.bodiesBytesMax, IMPORT_BODY_BYTES_MAX),
      replies: sharedByOwners(options.memory.repliesBytesMax, COMPARISON_BYTES),
      takeMemory: (ownerId, bytes) => options.load.takeMemory(ownerId, bytes),
      corsHeaders: (origin) => this.#cors.headers(origin),
      onAnswered: options.onAnswered,
      onFinished: (call) => this.#finished(call),
      onError: options.onError,
    };
    const app = this.#newApp();
    this.#acceptor = options.tls === undefined ? undefined : new Acceptor(true);
    this.#acceptor?.distributeTo([descriptorOf(app)]);
    const listening = listenAsOwn(this.#acceptor?.app ?? app, options.host, options.port);
    if (listening === undefined) throw new PortError(options.host, options.port, '--port');
    this.#listening = listening;
    this.#connections.countAt([listening.port]);
  }

  /**
   * Listens, and answers `starting` until `serve` is called.
   *
   * @throws PortError when the port cannot be listened on, TlsFilesError when TLS cannot use its files.
   */
  static listen(options: HttpServerOptions): HttpServer {
    return new HttpServer(options);
  }

  get port(): number {
    return this.#listening.port;
  }

  get inFlight(): number {
    return this.#inFlight.count + (this.#isHandling ? 1 : 0);
  }

  get connections(): number {
    return this.#connections.count;
  }

  get state(): 'starting' | 'serving' | 'draining' {
    if (this.#draining) return 'draining';
    return this.#served === undefined ? 'starting' : 'serving';
  }

  serve(api: ServedApi): void {
    this.#router = new Router([...this.#always, ...api.routes]);
    this.#served = api;
  }

  /** New connections get the certificate that the files hold now. @throws TlsFilesError when TLS cannot use it. */
  renewCertificate(): void {
    this.#acceptor?.distributeTo([descriptorOf(this.#newApp())]);
  }

  /**
   * Carries out a request in the name of a call that is being handled, as if its client had sent it. Release the body of
   * that call first: this one waits for the owner's share as well.
   */
  ask(caller: Call, asked: InnerAsk): Promise<InnerAnswer> {
    const { host, apiKey = '' } = caller.head;
    return new Promise((resolve) => {
      const request = new InnerRequest(asked, { host, 'x-api-key': apiKey });
      const head = readHead(request, asked.method);
      const call = new Call(new InnerResponse(asked.body, resolve), head, caller.requestId, this.#context);
      call.deferred = true;
      call.protect(() => this.#dispatch(call, request));
    });
  }

  /** Stops listening, refuses new requests, and waits for those in flight, for so many milliseconds at most. */
  async drain(limitMs: number): Promise<void> {
    this.#draining = true;
    stopListening(this.#listening);
    // The clients of streams connect again, elsewhere.
    for (const call of this.#inFlight.values()) if (call.isStream) call.endStream();
    if (this.#inFlight.count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        // The last answer may be made inside a callback of uWebSockets.js, which sends it when that returns.
        setImmediate(resolve);
      };
    });
  }

  /** Closes every connection. Call it last. */
  close(): void {
    this.#acceptor?.app.close();
    for (const app of this.#apps) app.close();
  }

  #newApp(): TemplatedApp {
    const app = newApp(this.#tls);
    routeByMethod(app, (res, req, method) => this.#handle(res, req, method));
    this.#connections.capIn(app);
    this.#apps.push(app);
    return app;
  }

  #handle(res: HttpResponse, req: HttpRequest, method: string): void {
    const head = readHead(req, method);
    const call = new Call(res, head, this.#requestId(head), this.#context);
    this.#isHandling = true;
    try {
      if (this.#served?.homes.isForwarded(head.forwarded) === true) this.#receiveForwarded(call);
      else this.#dispatch(call, req);
    } catch (error) {
      call.fail(error);
    }
    this.#isHandling = false;
    call.deferred = true;
    // Most reads are answered by now: registering `onAborted` would cost each half a microsecond.
    if (call.finished) return;
    this.#inFlight.add(call);
    res.onAborted(() => call.abort());
  }

  /** A request that another node has received: head and body are in the body, which was bounded there. */
  #receiveForwarded(call: Call): void {
    receiveBody(call, Infinity, (bytes) => {
      const sent = isRefusal(bytes) ? undefined : unpack(bytes);
      if (sent === undefined) return call.refuse('overloaded');
      call.head = readForwardedHead(sent.head as RequestHeadSent);
      call.requestId = this.#requestId(call.head);
      // The bytes are only valid during this call.
      return this.#dispatch(call, undefined, Buffer.from(sent.body));
    });
  }

  /**
   * @param req      Valid during this call; undefined for what another node has received.
   * @param received Its body then.
   */
  #dispatch(call: Call, req: HttpRequest | undefined, received?: Buffer): void {
    const { head } = call;
    if (head.malformed !== undefined) {
      call.closes = true;
      return call.refuse(refuse('malformedRequest', [{ path: '', message: head.malformed }]));
    }
    const found = this.#router.find(head.path);
    call.refusalBody = found?.methods.get('GET')?.refusalBody;
    if (!this.#answersHost(head.host)) {
      const other = { path: 'Host', message: 'start the server with --allow-host for this name' };
      return call.refuse(refuse('hostNotAllowed', this.#mockHint(head.host) ?? [other]));
    }
    const state = this.state;
    if (state !== 'serving' && !this.#isAlways(found)) {
      call.closes = true;
      return call.refuse(state);
    }
    if (this.#load.isOverloaded) {
      call.closes = true;
      if (!this.#isAlways(found) && !isOperational(found)) return call.refuse('overloaded');
    }
    if (found === undefined) return call.refuse(refuse('notFound', this.#mockHint(head.host)));
    call.params = found.params;
    const route = found.methods.get(head.method === 'HEAD' ? 'GET' : head.method);
    if (route === undefined) {
      const allow = allowed(found.methods);
      if (head.method === 'OPTIONS')
        return call.succeed('"message":"OK"', `\r\nallow: ${allow}${this.#cors.preflightHeaders(allow)}`);
      return call.refuse('methodNotAllowed', allow);
    }
    call.route = route;
    if (route.access !== 'public' && this.#served !== undefined) {
      if (route.takesBearer === true) head.apiKey ??= bearerToken(head.authorization);
      if (route.takesBasic === true) head.apiKey ??= basicPassword(head.authorization);
      const principal =
        route.callerByPath?.(found.params) ?? this.#served.authenticate(head.apiKey) ?? this.#openCaller(route, head);
      if (principal === undefined)
        return call.refuse(refuse('unauthorized', keyProblem(head, this.#served.hasExpired)));
      call.principal = principal;
      if (!this.#served.admits(principal)) return call.refuse('tooManyRequests');
      if (!mayUse(route.access, principal.role))
        return call.refuse(refuse('unauthorized', [roleProblem(route, principal)]));
      if (route.access !== 'read' && call.areAnswersFull) return call.refuse('overloaded');
    }
    const run = (body = received): void => runEndpoint(this.#shares, call, route, body);
    if (route.atHomeOf === undefined || this.#served === undefined) return run();
    return answerAtHome(call, req, route, this.#served.homes, run);
  }

  /** Never for a page in a browser: anyone's page reaches a loopback address. */
  #openCaller({ mayBeOpen }: Endpoint, { apiKey, origin, isFromPage }: RequestHead): Principal | undefined {
    const isKeyless = apiKey === undefined && origin === undefined && !isFromPage;
    return mayBeOpen === true && isKeyless ? this.#served?.openCaller : undefined;
  }

  /** For clients that send a mock's request to the API. */
  #mockHint(host: string): Detail[] | undefined {
    if (!namesMock(host, this.#mockDomains)) return undefined;
    const port = this.#served === undefined ? 'a port of their own' : `port ${this.#served.mockPort}`;
    return [{ path: 'Host', message: `is the host name of a mock: mocks answer on ${port}` }];
  }

  #isAlways(found: PathMatch<Endpoint> | undefined): boolean {
    return this.#always.some((route) => found?.methods.get(route.method) === route);
  }

  #requestId({ requestId }: RequestHead): string {
    if (requestId !== undefined && SANE_REQUEST_ID.test(requestId)) return requestId;
    return this.#requestIdPrefix + (++this.#requestCount).toString(36);
  }

  #finished(call: Call): void {
    if (!this.#inFlight.delete(call)) return;
    if (this.#inFlight.count === 0) this.#onIdle?.();
  }
}

/** The operator must be able to see the state of the service while it refuses everything else. */
function isOperational(found: PathMatch<Endpoint> | undefined): boolean {
  return found?.methods.get('GET')?.answersOverloaded === true;
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

function basicPassword(authorization: string | undefined): string | undefined {
  const [, encoded] = /^Basic +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return encoded === undefined ? undefined : /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}

/**
 * A malformed, unknown, wrong or revoked key is reported differently from a missing one, but all of these the same. Only
 * the holder, who has its secret, learns that a key has expired.
 */
function keyProblem({ apiKey, authorization }: RequestHead, hasExpired: ServedApi['hasExpired']): Detail[] {
  if (apiKey !== undefined) {
    return [{ path: 'x-api-key', message: hasExpired(apiKey) ? 'has expired' : 'is not a key of this server' }];
  }
  const missing = { path: 'x-api-key', message: 'is missing' };
  if (authorization === undefined) return [missing];
  return [missing, { path: 'Authorization', message: 'is not supported here: send the key in the header x-api-key' }];
}

/** Why the role of a valid key does not allow the endpoint. */
function roleProblem({ access, method }: Endpoint, { role }: Principal): Detail {
  const path = '';
  if (role === 'proxy') return { path, message: 'a key with the role proxy may only use the gateway' };
  if (access === 'admin') return { path, message: `only an admin key manages keys; this key has the role ${role}` };
  return { path, message: `a ${role} key may only read${method === 'GET' ? ': this requires an editor key' : ''}` };
}

function allowed(methods: ReadonlyMap<string, Endpoint>): string {
  return [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
