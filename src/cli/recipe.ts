/** `switchyard recipe`: lists recipes, and has a server make a mock of one. */
import { RECIPE_NAMES, readRecipe, type RecipeName } from '../interchange/recipes.ts';
import { outcomeOf } from './import-file.ts';
import { printable } from './print.ts';
import type { ServerOptions } from './server-options.ts';
import { withServer } from './with-server.ts';

/** @returns A line for each. */
export async function listRecipes(): Promise<string[]> {
  const width = Math.max(...RECIPE_NAMES.map(({ length }) => length));
  return Promise.all(
    RECIPE_NAMES.map(async (name) => {
      const { description } = JSON.parse(await readRecipe(name)) as { description: string };
      return `${name.padEnd(width)}  ${description}`;
    }),
  );
}

/** @throws OperatorError for what the server refuses. */
export async function useRecipe(
  recipe: RecipeName,
  {
    server,
    keyFile,
    ...options
  }: ServerOptions & { readonly id?: string; readonly name?: string; readonly start?: true },
): Promise<string[]> {
  return withServer({ server, ...(keyFile === undefined ? {} : { keyFile }) }, async (client) => {
    const result = await client.mocks.importRecipe(recipe, options);
    return outcomeOf({ into: undefined, result }).map(printable);
  });
}
