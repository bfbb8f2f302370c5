/** The states of a mock's scenarios: `client.mocks.scenarios`. */
import type { ScenarioState } from '../model/mocks/behaviour/scenario-state.ts';
import type { Transport } from './transport.ts';

export class ScenariosClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All scenarios of the saved version, with their states. */
  list(mockId: string): Promise<readonly ScenarioState[]> {
    return this.#transport.record('GET', ['mocks', mockId, 'scenarios']);
  }

  get(mockId: string, name: string): Promise<ScenarioState> {
    return this.#transport.record('GET', ['mocks', mockId, 'scenarios', name]);
  }

  /** When this resolves, every thread answers by the new state. */
  set(mockId: string, name: string, state: string): Promise<ScenarioState> {
    return this.#transport.record('PUT', ['mocks', mockId, 'scenarios', name], { body: { state } });
  }
}
