/**
 * The egress process as seen by the API process: started with the first mock that has an upstream, or with the first connection to the
 * gateway, and kept alive from then on. Until then this process listens on the port of the gateway.
 */
import { rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../base/operator-error.ts';
import { ownPorts } from '../../base/own-ports.ts';
import { PortError } from '../../base/port-error.ts';
import { programFile } from '../../base/program-files.ts';
import { randomId } from '../../base/random-id.ts';
import { ChildProcessSupervisor, type ChildLog } from '../../children/child-process.ts';
import { forkProgram } from '../../children/fork-program.ts';
import { CALLBACKS_DRAIN_MS, CHILD_STOP_MS } from '../../limits.ts';
import type { CallbackPage, CallbackQuestion } from '../../model/mocks/callback-record.ts';
import type { CallbacksOf } from '../callbacks/callbacks.ts';
import { AddressPolicy } from '../policy/address-policy.ts';
import { parseReachList, type ReachList } from '../policy/reach-list.ts';
import { nodesPath, type EgressQuestions } from '../process/questions.ts';
import type { ApiToEgress, EgressSettings, EgressToApi, GatewaySettings, RuleSettings } from '../process/settings.ts';
import { askEgress } from './ask-egress.ts';
import { GatewayLink } from './gateway-link.ts';
import { listenPaused, portOf } from './waiting-port.ts';

/** How long a save waits for the egress process. */
const EGRESS_READY_MS = 5_000;

export interface EgressOptions extends Pick<
  EgressSettings,
  'allow' | 'deny' | 'callbackAllow' | 'allowsLoopback' | 'ca' | 'insecure' | 'recordingBytesMax'
> {
  readonly log: ChildLog;
}

const NO_CALLBACKS: CallbackPage = {
  records: [],
  total: 0,
  hasMore: false,
  truncated: false,
  revision: '',
  epoch: '',
  epochSince: 0,
};

/** How serving threads reach it. */
type EgressAddress = Pick<EgressSettings, 'socketPath' | 'token'>;

const ID_CHARS = 20;
const LOOKUP_THREADS = '64';
/** A socket's path has 107 bytes at most, and 103 on some systems. */
const FOLDER_CHARS_MAX = 60;

export class Egress {
  readonly address: EgressAddress;
  readonly #options: EgressOptions;
  readonly #instance = randomId(ID_CHARS);
  #supervisor: ChildProcessSupervisor<EgressSettings, ApiToEgress, EgressToApi> | undefined;
  #starting: Promise<void> | undefined;
  #isClosed = false;
  #policy: AddressPolicy | undefined;
  #ruleSettings: RuleSettings | undefined;
  #gatewaySettings: GatewaySettings | undefined;
  /** The port of the gateway until the process has taken it over. */
  #waitingPort: Server | undefined;
  /** Keeps the rules there that act on requests of the gateway, and of mocks to their upstreams. */
  readonly link = new GatewayLink(
    (message) => this.#supervisor?.send(message) === true,
    (why) => this.replace(why),
  );

  constructor(options: EgressOptions) {
    this.#options = options;
    const folder = tmpdir().length > FOLDER_CHARS_MAX ? '/tmp' : tmpdir();
    const socketPath = join(folder, `switchyard-egress-${randomId(ID_CHARS)}`, 'calls');
    this.address = { socketPath, token: randomId(ID_CHARS) };
  }

  /** Undefined before it is first needed. */
  get figures(): { readonly isUp: boolean; readonly restarts: number } | undefined {
    if (this.#supervisor === undefined) return undefined;
    return { isUp: this.#supervisor.child?.isReady === true, restarts: this.#supervisor.restarts };
  }

  /** Why it can never send anything to an upstream: an address that is refused; undefined of others, and of names. */
  refusalOf(upstream: string): string | undefined {
    const { allow, deny, allowsLoopback } = this.#options;
    this.#policy ??= new AddressPolicy({
      // Both were read before.
      allow: parseReachList(allow) as ReachList,
      deny: parseReachList(deny) as ReachList,
      allowsLoopback,
      ownPorts,
    });
    return this.#policy.refusalOf(upstream);
  }

  /** Undefined where no gateway listens. The process may not run at the moment, or wait for the first request (`isWaiting`). */
  get gateway():
    | { readonly port: number; readonly epoch: string | undefined; readonly isWaiting: boolean }
    | undefined {
    const child = this.#supervisor?.child;
    const epoch = child?.isReady === true ? child.epoch : undefined;
    const settings = this.#gatewaySettings;
    const isWaiting = this.#waitingPort !== undefined;
    return settings && { port: settings.port || (this.#supervisor?.port ?? 0), epoch, isWaiting };
  }

  /** To be called before it is needed. */
  setRules(settings: RuleSettings): void {
    this.#ruleSettings = settings;
  }

  /** Where what other nodes have received for the gateway is passed on to. */
  get nodesPath(): string {
    return nodesPath(this.address.socketPath);
  }

  /** Ends it, with all that it knows; another one is started. */
  replace(why: string): void {
    const child = this.#supervisor?.child;
    if (child !== undefined) this.#supervisor?.kill(child, why);
  }

  /**
   * Opens the port of the gateway. Of several nodes it starts the process, which other nodes send to; elsewhere the first
   * connection does. To be called before it is needed.
   *
   * @throws PortError when the port cannot be listened on.
   */
  async openGateway(settings: GatewaySettings): Promise<void> {
    if (settings.peerKey !== undefined) {
      this.#gatewaySettings = settings;
      await this.#begin();
      this.#starting = Promise.resolve();
      return;
    }
    const { host, port } = settings;
    this.#waitingPort = await listenPaused(host, port, (socket) => void this.#handOver(socket)).catch(() => {
      throw new PortError(host, port, '--gateway-port');
    });
    this.#gatewaySettings = { ...settings, port: portOf(this.#waitingPort) };
    ownPorts.add(this.#gatewaySettings.port);
  }

  /** Resolves when the gateway has taken over its port, or will not soon. Never rejects. */
  async wakeGateway(): Promise<void> {
    if (this.#waitingPort !== undefined) await this.need();
  }

  collectGarbage(): void {
    this.#supervisor?.collectGarbage();
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.#supervisor?.child?.process.pid;
  }

  /** Resolves when it is ready, or will not be soon: calls then get 503 until it is. Never rejects. */
  async need(): Promise<void> {
    if (this.#isClosed) return;
    this.#starting ??= this.#start();
    await this.#starting;
    const supervisor = this.#supervisor;
    if (supervisor !== undefined && supervisor.child?.isReady !== true) await supervisor.nextReady(EGRESS_READY_MS);
  }

  /** @returns Undefined while it does not run: it knows nothing then. Also when it does not answer. Never rejects. */
  async ask<Name extends keyof EgressQuestions>(
    name: Name,
    question: EgressQuestions[Name]['question'],
  ): Promise<EgressQuestions[Name]['answer'] | undefined> {
    return this.#supervisor?.child?.isReady === true ? askEgress(this.address, name, question) : undefined;
  }

  /** Callbacks of a mock: none before the first start. @returns Undefined while another process is started. */
  async callbacks(question: CallbackQuestion): Promise<(CallbackPage & { readonly isFirst: boolean }) | undefined> {
    if (this.#supervisor === undefined) return { ...NO_CALLBACKS, isFirst: true };
    const page = await this.ask('callbacks', question);
    return page && { ...page, isFirst: this.#supervisor.restarts === 0 };
  }

  /** @param why As records say it. @returns How many are not sent: with that process they end as well. */
  async cancelCallbacks(of: CallbacksOf, why: string): Promise<number> {
    return (await this.ask('cancelCallbacks', { ...of, why })) ?? 0;
  }

  /** Resolves when it does nothing more for a mock, and knows nothing of a deleted one: its end does the same. */
  async endMock(mockId: string, how: 'stopped' | 'deleted'): Promise<void> {
    await this.ask('endMock', { mockId, how });
  }

  /** Those that are over. */
  async forgetCallbacks(of: CallbacksOf): Promise<void> {
    await this.ask('forgetCallbacks', of);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waitingPort?.close();
    this.link.stop();
    await this.#starting;
    await this.#supervisor?.close();
    // A process that was killed has left it.
    if (this.#supervisor !== undefined) rmSync(dirname(this.address.socketPath), { recursive: true, force: true });
  }

  /** A connection of before the process ran. */
  async #handOver(socket: Socket): Promise<void> {
    socket.on('error', () => undefined);
    await this.need();
    const child = this.#supervisor?.child;
    if (child?.isReady === true) child.process.send({ kind: 'gatewayHandle' }, socket, {}, () => undefined);
    else socket.destroy();
  }

  async #start(): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      this.#options.log.error({ err: error }, 'the egress process could not start: requests to upstreams get 503');
      // The next mock that needs it tries again.
      this.#supervisor = undefined;
      this.#starting = undefined;
    }
  }

  /** @throws OperatorError when it does not start. */
  async #begin(): Promise<void> {
    const { log, ...settings } = this.#options;
    const gateway = this.#gatewaySettings;
    const supervisor = new ChildProcessSupervisor<EgressSettings, ApiToEgress, EgressToApi>({
      name: 'egress process',
      settings: (port) => ({
        ...this.address,
        instance: this.#instance,
        ...settings,
        ownPorts: ownPorts.all,
        rules: this.#ruleSettings as RuleSettings,
        // A process that follows another one has its port.
        gateway: gateway && {
          ...gateway,
          port: port === 0 ? gateway.port : port,
          isHandedOver: this.#waitingPort !== undefined,
        },
      }),
      log,
      // Names whose servers do not answer hold a thread each for seconds: those of one owner must not keep others waiting.
      fork: () => forkProgram(programFile('egress'), { UV_THREADPOOL_SIZE: LOOKUP_THREADS }),
      cannotListen: () =>
        gateway === undefined
          ? new OperatorError(`cannot listen on ${this.address.socketPath}`)
          : new PortError(gateway.host, gateway.port, '--gateway-port'),
      stopMs: CALLBACKS_DRAIN_MS + CHILD_STOP_MS,
      onReady: (child) => {
        if (gateway !== undefined) ownPorts.add(supervisor.port);
        sendPorts();
        this.link.onReady();
        const port = this.#waitingPort;
        // Connections wait in its queue until the process accepts them.
        if (port !== undefined) child.process.send({ kind: 'gatewayHandle' }, port, {}, () => port.close());
        this.#waitingPort = undefined;
      },
      onLost: () => this.link.reset(),
      onMessage: (child, message) => this.link.take(message, (answer) => child.send(answer)),
    });
    const sendPorts = (): void => void supervisor.send({ kind: 'ownPorts', ports: ownPorts.all });
    ownPorts.onChange = sendPorts;
    this.#supervisor = supervisor;
    await supervisor.start();
  }
}
