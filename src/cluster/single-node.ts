/** A server alone: every mock is served here. */
import type { MockHomes, HomeParts } from './mock-homes.ts';
import { LocalPublisher, Publisher } from './publisher.ts';

export class SingleNode implements MockHomes {
  readonly settings = undefined;
  readonly isReady = true;
  readonly figures = [];
  #opened: HomeParts | undefined;
  readonly #local = new LocalPublisher(() => this.#parts);
  readonly #publisher = new Publisher((mockId, options: { readonly keepsSequences?: boolean }) =>
    this.#local.publish(mockId, options),
  );

  async open(parts: HomeParts): Promise<void> {
    this.#opened = parts;
  }

  definition(mockId: string) {
    return Promise.resolve(this.#parts.store.publishedMock(mockId));
  }

  directory() {
    return Promise.resolve(this.#parts.store.publishedMocks());
  }

  publish(mockId: string, options = {}): Promise<boolean> {
    return this.#publisher.publishWithRetry(mockId, options);
  }

  published(mockId: string): Promise<boolean> {
    return this.#local.published(mockId);
  }

  allCounts(mockIds: readonly string[]) {
    return this.#parts.dataPlane.allCounts(mockIds);
  }

  async gatewayHome(): Promise<undefined> {
    return undefined;
  }

  async holdRules(): Promise<void> {}

  isOwn(): boolean {
    return true;
  }

  async elsewhere(): Promise<undefined> {
    return undefined;
  }

  isForwarded(): boolean {
    return false;
  }

  forward(): never {
    throw new Error('there is no other node');
  }

  sameHomes(): () => boolean {
    return () => true;
  }

  async leave(): Promise<void> {}

  async close(): Promise<void> {}

  get #parts(): HomeParts {
    if (this.#opened === undefined) throw new Error('mocks are served only after `open`');
    return this.#opened;
  }
}
