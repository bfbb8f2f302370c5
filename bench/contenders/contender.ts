/**
 * What takes part in a comparison of mock servers. One file each, with the same exports; contenders.ts lists them.
 */
import type { Server } from '../processes.ts';
import type { SampleReply } from '../sample-reply.ts';
import type { Scenario } from '../mocks/scenario.ts';

export interface Contender {
  /** As in `--contenders` and in the results. */
  readonly name: string;
  /** @returns What it needs and this machine lacks. */
  missing(): string | undefined;
  version(): Promise<string>;
  /** @returns Why it has no part in a scenario. */
  cannot?(scenario: Scenario): string | undefined;
  /** Starts it with the scenario's mocks; resolves when it listens. */
  start(scenario: Scenario, reference: Reference): Promise<Started>;
}

/** What every contender's requests and answers are held to: those of a Switchyard that is started first. */
export interface Reference {
  /** Host names of the scenario's mocks. All contenders are sent the same bytes, whether they use the Host or not. */
  readonly hosts: readonly string[];
  readonly reply: SampleReply;
}

export interface Started extends Server {
  /** Of its own mocks, where it goes by the Host. */
  readonly hosts?: readonly string[];
}
