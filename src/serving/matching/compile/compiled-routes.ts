/**
 * Compiled routes of a mock, or of those that a session adds, from one version to the next: a version that adds one route
 * compiles one.
 */
import type { MockRoute, MockSettings } from '../../../model/mocks/definition/definition.ts';
import type { CompiledRoute } from './compiled-mock.ts';

type Find = (route: MockRoute, index: number, first: CompiledRoute['first']) => CompiledRoute | undefined;

export class CompiledRoutes {
  #routes = new WeakMap<MockRoute, CompiledRoute>();
  #settings = '';
  #scenarios = '';

  /** Settings that answers depend on have all compiled again; scenarios those routes that have a part in one. */
  begin({ scenarios = [], ...settings }: MockSettings): { readonly find: Find } {
    const [own, states] = [JSON.stringify(settings), JSON.stringify(scenarios)];
    if (own !== this.#settings) this.#routes = new WeakMap();
    const isSame = states === this.#scenarios;
    this.#settings = own;
    this.#scenarios = states;
    return {
      find: (route, index, { place, otherPlace }) => {
        const compiled = this.#routes.get(route);
        if (compiled?.index !== index || compiled.first.place !== place || compiled.first.otherPlace !== otherPlace)
          return undefined;
        return isSame || (compiled.scenarios === undefined && compiled.socket === undefined) ? compiled : undefined;
      },
    };
  }

  keep(route: MockRoute, compiled: CompiledRoute): void {
    this.#routes.set(route, compiled);
  }
}
