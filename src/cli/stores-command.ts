/** `switchyard stores`: lists the stores of a mock or a session, reads one or an item of it, changes it, and resets it. */
import { Option, type Command } from 'commander';
import { jsonValue, nonEmpty } from './option-values.ts';
import { openCommand, sayAnswer, type OpenOptions } from './open-command.ts';

interface StoresOptions extends OpenOptions {
  readonly item?: string;
  readonly set?: unknown;
  readonly merge?: object;
  readonly reset?: true;
}

export function addStoresCommand(program: Command): void {
  openCommand(program, 'stores', 'stores', 'read, change or reset stores of a mock; without a name, list them')
    .argument('[name]', 'of the store', nonEmpty)
    .addOption(new Option('--item <id>', 'one item instead of the whole store').argParser(nonEmpty))
    .addOption(new Option('--set <json>', 'replace the value: JSON, or @ and the name of a file').argParser(jsonValue))
    .addOption(new Option('--merge <json>', 'change members of an object').argParser(jsonValue).conflicts('set'))
    .addOption(
      new Option('--reset', 'reset the store to its initial value, or remove the item').conflicts(['set', 'merge']),
    )
    .action(async (mock: string, name: string | undefined, options: StoresOptions, command: Command) => {
      const { session, item, set, merge, reset, json, ...server } = options;
      const acts = set !== undefined || merge !== undefined || reset || item !== undefined;
      if (name === undefined && acts) command.error('error: expected the name of a store after the mock');
      const { withServer } = await import('./with-server.ts');
      const answer = await withServer<object>(server, async (client) => {
        const stores = client.mocks.stores(mock, session);
        if (name === undefined) return { stores: await stores.list() };
        if (reset) {
          await (item === undefined ? stores.reset(name) : stores.deleteItem(name, item));
          return stores.get(name);
        }
        if (item === undefined) {
          if (set !== undefined) return stores.put(name, set);
          return merge === undefined ? stores.get(name) : stores.patch(name, merge);
        }
        if (set !== undefined) return stores.putItem(name, item, set as object);
        return merge === undefined ? stores.getItem(name, item) : stores.patchItem(name, item, merge);
      });
      sayAnswer(answer, json);
    });
}
