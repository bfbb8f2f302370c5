/**
 * The control plane's front end: one uWebSockets.js app that takes every request through the same steps.
 *
 * framing → host → state of the service → overload → route → method → key → rate → role → the route's handler (decisions.md, "Order of
 * checks"). Handlers live in the API files; what they share of a request and its reply is call.ts.
 */
import * as uWS from 'uWebSockets.js';
import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { randomId } from '../base/random-id.ts';
import { refuse } from '../errors.ts';
import { CONNECTIONS_MAX } from '../limits.ts';
import type { Principal } from '../model/principal.ts';
import { Acceptor, descriptorOf, newApp, type TlsFiles } from '../wire/apps.ts';
import { capConnections, connectionsWithin, listenExclusively, type ConnectionCount } from '../wire/listen.ts';
import { Call, type CallContext } from './call.ts';
import { Cors } from './cors.ts';
import { FairTurns } from './fair-turns.ts';
import { hostCheck } from './host-check.ts';
import type { LoadLevel } from './load-watch.ts';
import type { RateLimit } from './rate-limit.ts';
import { readHead, type RequestHead } from './request-head.ts';
import type { Endpoint } from './endpoint.ts';
import { Router, type Found } from './router.ts';

export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly tls: TlsFiles | undefined;
  /** Whether `host` is a loopback address, which has Host names of its own. */
  readonly onLoopback: boolean;
  readonly corsOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Routes that answer from the first moment to the last: whether the process is alive. */
  readonly always: readonly Endpoint[];
  /** How loaded the service is; read on every request. */
  readonly load: { readonly level: LoadLevel };
  /** Called once per request, when its answer is on its way or its client has left (status 0). */
  readonly onAnswered: (call: Call, status: number) => void;
  /** A bug in a handler: the request gets `serverError`. */
  readonly onBug: (call: Call, error: unknown) => void;
}

/** What the server needs once the service is open. */
export interface ServedApi {
  readonly routes: readonly Endpoint[];
  readonly authenticate: (apiKey: string | undefined) => Principal | undefined;
  readonly rateLimit: RateLimit;
}

/** A port that cannot be listened on; the message is for the person who named it. */
export class PortError extends Error {}

/** An id that a client sent is used when it is short and cannot break a log line or a header. */
const SANE_REQUEST_ID = /^[A-Za-z0-9._:@/+=-]{1,128}$/;

export class HttpServer {
  readonly port: number;
  readonly #tls: TlsFiles | undefined;
  /** Deals connections to the newest app; without TLS there is one, which listens itself. */
  readonly #acceptor: Acceptor | undefined;
  /** One, and one more for each renewal of the certificate. */
  readonly #apps: TemplatedApp[] = [];
  readonly #listenSocket: us_listen_socket;
  readonly #context: CallContext;
  readonly #cors: Cors;
  readonly #answersHost: (host: string) => boolean;
  readonly #requestIdPrefix = `${randomId(8)}-`;
  #requestCount = 0;
  /** Calls that were not finished when their handler returned, and are not yet: answered, sent and let go of. */
  readonly #inFlight = new Set<Call>();
  #isHandling = false;
  readonly #connections: ConnectionCount = { connections: 0 };
  readonly #connectionsMax = connectionsWithin(CONNECTIONS_MAX);
  #onIdle: (() => void) | undefined;
  readonly #always: readonly Endpoint[];
  readonly #load: { readonly level: LoadLevel };
  #router: Router;
  #served: ServedApi | undefined;
  #draining = false;

  private constructor(options: HttpServerOptions) {
    this.#tls = options.tls;
    this.#always = options.always;
    this.#load = options.load;
    this.#router = new Router(options.always);
    this.#cors = new Cors(options.corsOrigins);
    this.#answersHost = hostCheck(options.onLoopback, [options.host, ...options.allowedHosts]);
    this.#context = {
      turns: new FairTurns(),
      corsHeaders: (origin) => this.#cors.headers(origin),
      onAnswered: options.onAnswered,
      onFinished: (call) => this.#finished(call),
      onBug: options.onBug,
    };
    const app = this.#newApp();
    this.#acceptor = options.tls === undefined ? undefined : new Acceptor(true);
    this.#acceptor?.dealTo([descriptorOf(app)]);
    const listenSocket = listenExclusively(this.#acceptor?.app ?? app, options.host, options.port);
    if (listenSocket === undefined) {
      throw new PortError(
        `cannot listen on ${options.host}:${options.port}: the port is in use or not allowed, or it is no address of this machine`,
      );
    }
    this.#listenSocket = listenSocket;
    this.port = uWS.us_socket_local_port(listenSocket);
  }

  /**
   * Listens, and answers `starting` until `serve` is called.
   *
   * @throws PortError when the port is in use or not allowed, TlsFilesError when TLS cannot use its files.
   */
  static listen(options: HttpServerOptions): HttpServer {
    return new HttpServer(options);
  }

  get inFlight(): number {
    return this.#inFlight.size + (this.#isHandling ? 1 : 0);
  }

  get connections(): number {
    return this.#connections.connections;
  }

  get state(): 'starting' | 'serving' | 'draining' {
    if (this.#draining) return 'draining';
    return this.#served === undefined ? 'starting' : 'serving';
  }

  serve(api: ServedApi): void {
    this.#router = new Router([...this.#always, ...api.routes]);
    this.#served = api;
  }

  /** Gives connections from now on the certificate that the files hold by now. @throws TlsFilesError when TLS cannot use it. */
  renewCertificate(): void {
    this.#acceptor?.dealTo([descriptorOf(this.#newApp())]);
  }

  /** Stops listening, refuses what is new, and waits for what is in flight, up to a limit in milliseconds. */
  async drain(limitMs: number): Promise<void> {
    this.#draining = true;
    uWS.us_listen_socket_close(this.#listenSocket);
    // Whoever follows a stream comes back elsewhere.
    for (const call of this.#inFlight) if (call.isStream) call.endStream();
    if (this.#inFlight.size === 0) return;
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
    // A handler for each method that is frequent: it is told the method, which costs less than asking each request for it.
    app.get('/*', (res, req) => this.#handle(res, req, 'GET'));
    app.post('/*', (res, req) => this.#handle(res, req, 'POST'));
    app.put('/*', (res, req) => this.#handle(res, req, 'PUT'));
    app.del('/*', (res, req) => this.#handle(res, req, 'DELETE'));
    app.any('/*', (res, req) => this.#handle(res, req, req.getCaseSensitiveMethod()));
    capConnections(app, this.#connectionsMax, this.#connections);
    this.#apps.push(app);
    return app;
  }

  #handle(res: HttpResponse, req: HttpRequest, method: string): void {
    const head = readHead(req, method);
    const call = new Call(res, head, this.#requestId(head), this.#context);
    this.#isHandling = true;
    try {
      this.#dispatch(call);
    } catch (error) {
      call.fail(error);
    }
    this.#isHandling = false;
    call.deferred = true;
    // Most reads are answered by now: to be told that their client leaves would cost them half a microsecond.
    if (call.finished) return;
    this.#inFlight.add(call);
    res.onAborted(() => call.abort());
  }

  #dispatch(call: Call): void {
    const { head } = call;
    if (head.malformed !== undefined) {
      call.closes = true;
      return call.refuse(refuse('malformedRequest', [{ path: '', message: head.malformed }]));
    }
    if (!this.#answersHost(head.host)) {
      return call.refuse(
        refuse('hostNotAllowed', [{ path: 'Host', message: 'start the server with --allow-host for this name' }]),
      );
    }
    const found = this.#router.find(head.path);
    const state = this.state;
    if (state !== 'serving' && !this.#isAlways(found)) {
      call.closes = true;
      return call.refuse(state);
    }
    if (this.#load.level !== 'normal') {
      call.closes = true;
      if (this.#load.level === 'refusing' && !this.#isAlways(found) && !isOperational(found)) {
        return call.refuse('overloaded');
      }
    }
    if (found === undefined) return call.refuse('notFound');
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
      const principal = this.#served.authenticate(head.apiKey);
      if (principal === undefined) return call.refuse('unauthorized');
      call.principal = principal;
      if (!this.#served.rateLimit.admits(principal.keyId)) return call.refuse('tooManyRequests');
      if (route.access === 'write' && principal.role !== 'editor') return call.refuse('unauthorized');
    }
    // A body that is read takes its turn when it is there (body.ts): uWebSockets.js hands it on only to who asks for it at once.
    if (head.hasBody && route.doc?.body !== undefined) return route.handle(call);
    return call.inTurn(0, () => route.handle(call));
  }

  #isAlways(found: Found | undefined): boolean {
    return this.#always.some((route) => found?.methods.get(route.method) === route);
  }

  #requestId({ requestId }: RequestHead): string {
    if (requestId !== undefined && SANE_REQUEST_ID.test(requestId)) return requestId;
    return this.#requestIdPrefix + (++this.#requestCount).toString(36);
  }

  #finished(call: Call): void {
    if (!this.#inFlight.delete(call)) return;
    if (this.#inFlight.size === 0) this.#onIdle?.();
  }
}

/** Whoever runs the service must see how it is doing when nobody else is served. */
function isOperational(found: Found | undefined): boolean {
  return found?.methods.get('GET')?.answersOverloaded === true;
}

function allowed(methods: ReadonlyMap<string, Endpoint>): string {
  return [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
